"""The one hand that writes the state file: one connection, one transaction at a time, on one thread."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from watchdog.errors import StoreUnavailable
from watchdog.state.store.connection import Fault, FileGoneError, fault
from watchdog.state.store.reserve import Reserve
from watchdog.state.store.retention import Rule
from watchdog.state.store.rows import UNSAVABLE, Record, Rows
from watchdog.state.store.text import Redact

T = TypeVar("T")

Connect = Callable[[], sqlite3.Connection]


@dataclass(frozen=True, slots=True)
class Renewal:
    """The file became unusable while we ran and a new one was begun. set_aside: where the old one lies, None if it was gone."""

    set_aside: Path | None
    why: str


Renew = Callable[[str], Renewal]


class Pen:
    """connect: opens the file, called again after each failure. path: None when the store lives in memory only.

    renew: puts an unusable file aside and begins a new one. Not thread-safe: every call comes from the writer thread.
    """

    def __init__(self, connect: Connect, path: Path | None, redact: Redact, reserve: Reserve | None, renew: Renew | None) -> None:
        self._connect = connect
        self._path = path
        self._redact = redact
        self._reserve = reserve
        self._renew = renew
        self._conn: sqlite3.Connection | None = None
        self._rows: Rows | None = None
        self._identity: tuple[int, int] | None = None
        self.renewal: Renewal | None = None

    def write(self, batch: Sequence[Record]) -> tuple[str, ...]:
        """All of `batch` in one transaction, durable on return; a line for each record that no try could save.

        Raises StoreUnavailable when nothing was written.
        """
        complaints = self._guarded(lambda: self._transact(batch))
        if self._reserve is not None:
            self._reserve.hold()
        return complaints

    def prune(self, rule: Rule, cut: float) -> int:
        """One small batch of one rule of retention; rows removed. Raises StoreUnavailable."""
        return self._guarded(lambda: self._open().execute(rule.sql, rule.bind(cut)).rowcount)

    def connection(self) -> sqlite3.Connection:
        """The connection itself, for the readers of a store in memory."""
        return self._open()

    def close(self) -> None:
        """Never raises."""
        conn, self._conn, self._rows, self._identity = self._conn, None, None, None
        if conn is not None:
            try:
                conn.close()
            except sqlite3.Error:
                return

    def _guarded(self, act: Callable[[], T]) -> T:
        try:
            return self._cured(act)
        except (sqlite3.Error, OSError) as error:
            if self._path is not None:
                self.close()
            raise StoreUnavailable(f"the state file cannot be written: {error}") from error

    def _cured(self, act: Callable[[], T]) -> T:
        """Try; where a cure is known, apply it and try once more."""
        try:
            return act()
        except sqlite3.Error as error:
            kind = fault(error)
            if kind is Fault.FULL and self._reserve is not None and self._reserve.release():
                return act()
            if kind is Fault.CORRUPT and self._renew is not None:
                self.close()
                self.renewal = self._renew(str(error))
                return act()
            raise

    def _transact(self, batch: Sequence[Record]) -> tuple[str, ...]:
        conn = self._open()
        self._still_there()
        rows = self._rows = self._rows or Rows(conn, self._redact)
        complaints: list[str] = []
        conn.execute("BEGIN IMMEDIATE")
        try:
            for record in batch:
                try:
                    rows.save(record)
                except UNSAVABLE as error:
                    complaints.append(f"{type(record).__name__}: {error}")
            conn.execute("COMMIT")
        except BaseException:
            rows.forget()
            if conn.in_transaction:
                conn.execute("ROLLBACK")
            raise
        return tuple(complaints)

    def _open(self) -> sqlite3.Connection:
        if self._conn is None:
            self._conn = self._connect()
            self._identity = self._seen()
        return self._conn

    def _seen(self) -> tuple[int, int] | None:
        if self._path is None:
            return None
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino

    def _still_there(self) -> None:
        """Commits into a removed file would succeed and be lost."""
        if self._path is not None and self._seen() != self._identity:
            raise FileGoneError
