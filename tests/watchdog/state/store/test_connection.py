from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from watchdog.state.store.connection import Fault, FileGoneError, begin, connect, fault, memory


def test_a_full_disk_is_known_by_both_of_its_names() -> None:
    assert fault(sqlite3.OperationalError("database or disk is full")) is Fault.FULL
    assert fault(sqlite3.OperationalError("disk I/O error")) is Fault.FULL


def test_damage_is_told_from_what_may_pass() -> None:
    assert fault(sqlite3.DatabaseError("database disk image is malformed")) is Fault.CORRUPT
    assert fault(sqlite3.DatabaseError("file is not a database")) is Fault.CORRUPT
    assert fault(FileGoneError()) is Fault.CORRUPT
    for text in ("database is locked", "unable to open database file", "attempt to write a readonly database"):
        assert fault(sqlite3.OperationalError(text)) is Fault.OTHER


def test_the_code_of_sqlite_counts_when_it_is_there(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"this is no database, but it is long enough to be looked at as if it were one" * 20)
    with closing(sqlite3.connect(path)) as conn, pytest.raises(sqlite3.DatabaseError) as caught:
        conn.execute("SELECT * FROM x")
    assert fault(caught.value) is Fault.CORRUPT


def test_commits_are_durable_and_the_file_is_for_us_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        begin(tmp_path / "state.db")
        with closing(connect(tmp_path / "state.db")) as conn:
            conn.execute("INSERT INTO meta VALUES ('a', 'b')")
            assert conn.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert conn.execute("PRAGMA synchronous").fetchone() == (2,)
            assert conn.execute("PRAGMA foreign_keys").fetchone() == (0,)
            modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes == {"state.db": 0o600, "state.db-wal": 0o600, "state.db-shm": 0o600}


def test_a_new_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "state.db.new").write_bytes(b"left by a crash")
    (tmp_path / "state.db.new-wal").write_bytes(b"left by a crash")
    begin(tmp_path / "state.db")
    assert [file.name for file in tmp_path.iterdir()] == ["state.db"]


def test_a_missing_file_is_never_made_by_opening_it(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        connect(tmp_path / "state.db")
    assert list(tmp_path.iterdir()) == []


def test_a_store_in_memory_has_all_tables() -> None:
    with closing(memory()) as conn:
        assert conn.execute("SELECT count(*) FROM incidents").fetchone() == (0,)
