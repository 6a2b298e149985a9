"""The state file at start: used as it is, or put aside and begun anew, but never a reason not to start (SPEC 15)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from watchdog.state.store.connection import Fault, FileGoneError, begin, connect, fault, sync_folder
from watchdog.state.store.pen import Renew, Renewal
from watchdog.state.store.reader import Reader, Snapshot
from watchdog.state.store.reserve import SIZE, Reserve
from watchdog.state.store.tables import APPLICATION_ID, SENTINEL, TABLES, VERSION, migrate
from watchdog.state.store.text import Redact, plain
from watchdog.state.store.writer import SqliteStore

NAME = "state.db"
RESERVE = "reserve"
_MAGIC = b"SQLite format 3\x00"
_ENDS = ("", "-wal", "-shm", "-journal")
Now = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Opened:
    """store: always usable, though its commits may raise StoreUnavailable. loaded: what it remembered.

    fresh: nothing was remembered, a new file was begun or none could be. set_aside: where the unusable file lies now.
    why: one line, "" when the file was simply used or when this is the first start. Anything else is worth a critical alert.
    """

    store: SqliteStore
    loaded: Snapshot
    fresh: bool
    set_aside: Path | None
    why: str


class UnusableError(Exception):
    """The file is not ours, not whole, or from the future; it will never be right again."""


def open_store(directory: Path, *, now: Now, redact: Redact = plain, reserve_size: int = SIZE) -> Opened:
    """Never raises for what is wrong on disk. An unusable file is renamed with its -wal and -shm, never deleted.

    When the folder cannot be written the store still takes records, and each commit tries again to open the file.
    """
    path = directory / NAME
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _judged(path, now, redact, reserve_size)
    except (OSError, sqlite3.Error) as error:
        why = f"{path} cannot be written: {error}"
        loaded = _remembered(path, now())
        store = _store(path, now, redact, reserve_size, why, unread=loaded is None)
        return Opened(store, loaded or Snapshot(), loaded is None, None, why)


def _judged(path: Path, now: Now, redact: Redact, reserve_size: int) -> Opened:
    aside, why, loaded = None, "", Snapshot()
    known = path.exists()
    if known:
        try:
            loaded = examine(path, now())
        except UnusableError as error:
            known, why = False, str(error)
    if not known:
        aside = set_aside(path, now())
        if aside is not None and not why:
            why = "the state file is gone, only its log was left"
        begin(path)
    store = _store(path, now, redact, reserve_size)
    return Opened(store, loaded, not known, aside, why)


def examine(path: Path, now: float) -> Snapshot:
    """What the file remembers, once it has proved to be ours and whole. Older schemas are migrated.

    Raises UnusableError; OSError or sqlite3.Error when it cannot be told now (no descriptors, no permission, a lock).
    """
    with path.open("rb") as file:
        head = file.read(len(_MAGIC))
    if not head:
        raise UnusableError("the state file was empty")
    if head != _MAGIC:
        raise UnusableError("the state file was not an SQLite file")
    path.chmod(0o600)
    try:
        conn = connect(path)
        try:
            _identity(conn)
            _legible(conn)
            return Reader(conn, shared=True).load(now)
        finally:
            conn.close()
    except (ValueError, TypeError, KeyError) as error:
        raise UnusableError(f"the state file holds what cannot be read: {error}") from error
    except sqlite3.Error as error:
        if fault(error) is Fault.CORRUPT:
            raise UnusableError(f"the state file was damaged: {error}") from error
        raise


def _identity(conn: sqlite3.Connection) -> None:
    if conn.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise UnusableError("the state file belonged to another program")
    found = conn.execute("PRAGMA user_version").fetchone()[0]
    if found > VERSION:
        raise UnusableError(f"the state file was written by a newer version (schema {found}, this one knows {VERSION})")
    if found < 1:
        raise UnusableError("the state file was only half made")
    tables = {row[0] for row in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "meta" not in tables or conn.execute("SELECT value FROM meta WHERE key = ?", SENTINEL[:1]).fetchone() != SENTINEL[1:]:
        raise UnusableError("the state file had no sentinel row")
    migrate(conn)
    missing = set(TABLES) - {row[0] for row in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if missing:
        raise UnusableError(f"the state file had no table {', '.join(sorted(missing))}")


def _legible(conn: sqlite3.Connection) -> None:
    """A touch of every table; reading all would delay the start. A file shorter than its head says SQLite itself refuses."""
    for table in TABLES:
        conn.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchall()  # noqa: S608  (our names)


def set_aside(path: Path, now: float) -> Path | None:
    """Rename the file and what belongs to it; where the first of them lies now, None if nothing was there.

    The main file goes first: a crash in between leaves a log without a file, which the next start puts aside too.
    """
    stamp = datetime.fromtimestamp(now, UTC).strftime("%Y%m%dT%H%M%SZ")
    base, count = path.with_name(f"{path.stem}.aside-{stamp}{path.suffix}"), 1
    while any(base.with_name(base.name + end).exists() for end in _ENDS):
        count += 1
        base = path.with_name(f"{path.stem}.aside-{stamp}-{count}{path.suffix}")
    moved = None
    for end in _ENDS:
        piece = path.with_name(path.name + end)
        if piece.exists():
            target = base.with_name(base.name + end)
            piece.rename(target)
            moved = moved or target
    if moved is not None:
        sync_folder(path.parent)
    return moved


def _remembered(path: Path, now: float) -> Snapshot | None:
    try:
        with Reader.open(path) as reader:
            return reader.load(now)
    except (OSError, sqlite3.Error, ValueError, TypeError, KeyError):
        return None


def _store(path: Path, now: Now, redact: Redact, reserve_size: int, trouble: str = "", *, unread: bool = False) -> SqliteStore:
    """unread: its memory was never loaded, so its ids would be used twice; once it can be opened it is put aside first."""
    reserve = Reserve(path.with_name(RESERVE), reserve_size)
    reserve.hold()
    link = _Link(path, unread)
    return SqliteStore(link, path=path, redact=redact, reserve=reserve, renew=_renewal(path, now), trouble=trouble)


class _Link:
    """Opens the file again and again, and says once that it must be begun anew."""

    def __init__(self, path: Path, unread: bool) -> None:
        self._path = path
        self._unread = unread

    def __call__(self) -> sqlite3.Connection:
        conn = connect(self._path) if self._path.exists() else None
        if conn is None or self._unread:
            self._unread = False
            if conn is not None:
                conn.close()
            raise FileGoneError
        return conn


def _renewal(path: Path, now: Now) -> Renew:
    def renew(why: str) -> Renewal:
        renewal = Renewal(set_aside(path, now()), why)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        begin(path)
        return renewal

    return renew
