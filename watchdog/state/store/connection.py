"""Connections to the state file and the meaning of SQLite's errors."""

from __future__ import annotations

import os
import sqlite3
from enum import StrEnum
from pathlib import Path

from watchdog.state.store.tables import create

BUSY = 5.0
"""Seconds to wait for another connection's lock. There is one writer, so this is for a person's sqlite3 shell."""


class Fault(StrEnum):
    """FULL may be cured by the reserve; CORRUPT means that this file will never be right again; OTHER passes or not."""

    FULL = "full"
    CORRUPT = "corrupt"
    OTHER = "other"


_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_FULL_WORDS = ("disk is full", "disk i/o error")
_CORRUPT_WORDS = ("malformed", "not a database")


class FileGoneError(sqlite3.DatabaseError):
    """The state file is gone, was replaced, or was never read: a new one must be begun."""

    def __init__(self) -> None:
        super().__init__((self.__doc__ or "").strip())


def fault(error: Exception) -> Fault:
    """A full disk shows as "database or disk is full" or as "disk I/O error", so both are FULL (notes: faults, section 5)."""
    if isinstance(error, FileGoneError):
        return Fault.CORRUPT
    code = getattr(error, "sqlite_errorcode", None)
    text = str(error).lower()
    primary = code & 0xFF if isinstance(code, int) else None
    if primary in _FULL or any(words in text for words in _FULL_WORDS):
        return Fault.FULL
    if primary in _CORRUPT or any(words in text for words in _CORRUPT_WORDS):
        return Fault.CORRUPT
    return Fault.OTHER


def tune(conn: sqlite3.Connection) -> None:
    """What every writing connection needs: durable commits, no waiting for ever, nothing run from inside the file."""
    conn.execute("PRAGMA journal_mode = WAL")
    conn.execute("PRAGMA synchronous = FULL")
    conn.execute("PRAGMA foreign_keys = OFF")
    conn.execute("PRAGMA trusted_schema = OFF")
    conn.execute(f"PRAGMA journal_size_limit = {4 * 1024 * 1024}")


def connect(path: Path) -> sqlite3.Connection:
    """The writing connection to an existing file; raises sqlite3.Error, never creates one. Used by one thread at a time."""
    conn = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=BUSY, isolation_level=None, check_same_thread=False
    )
    try:
        tune(conn)
    except BaseException:
        conn.close()
        raise
    return conn


def memory() -> sqlite3.Connection:
    """A store that lives as long as its connection."""
    conn = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    tune(conn)
    create(conn)
    return conn


def begin(path: Path) -> None:
    """A new file at `path`, whole or not at all: built beside it, then renamed. Mode 0600, which its -wal and -shm inherit.

    Raises OSError or sqlite3.Error when it cannot be written.
    """
    building = path.with_name(path.name + ".new")
    for leftover in (building, *(building.with_name(building.name + end) for end in ("-wal", "-shm", "-journal"))):
        leftover.unlink(missing_ok=True)
    os.close(os.open(building, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    conn = sqlite3.connect(building, timeout=BUSY, isolation_level=None)
    try:
        tune(conn)
        create(conn)
    finally:
        conn.close()
    building.rename(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
