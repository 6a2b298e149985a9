"""An SQLite connection whose disk can be made to fail, given to the store through its constructor."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from watchdog.state.store.connection import tune

FULL = "database or disk is full"
IO = "disk I/O error"
DAMAGED = "database disk image is malformed"
LOCKED = "database is locked"


class Disk:
    """fails: what the next commits raise, one each; the empty string lets one through. After the last all is well.

    commits: how many transactions were tried. opened: how many connections were made.
    """

    def __init__(self, path: Path, *fails: str) -> None:
        self.path = path
        self.fails = list(fails)
        self.commits = 0
        self.opened = 0

    def connect(self) -> sqlite3.Connection:
        self.opened += 1
        disk = self

        class Failing(sqlite3.Connection):
            def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
                if sql == "COMMIT":
                    disk.commits += 1
                    text = disk.fails.pop(0) if disk.fails else ""
                    if text:
                        kind = sqlite3.DatabaseError if text == DAMAGED else sqlite3.OperationalError
                        raise kind(text)
                return super().execute(sql, parameters)

        conn = sqlite3.connect(self.path, factory=Failing, isolation_level=None, check_same_thread=False)
        tune(conn)
        return conn
