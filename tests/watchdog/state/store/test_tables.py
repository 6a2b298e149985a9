from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from watchdog.state.store.tables import APPLICATION_ID, SENTINEL, TABLES, VERSION, create, ddl, migrate


def fresh() -> sqlite3.Connection:
    conn = sqlite3.connect(":memory:", isolation_level=None)
    create(conn)
    return conn


def test_an_outside_reader_finds_the_tables_of_the_contract() -> None:
    assert set(TABLES) == {
        *("meta", "services", "segments", "rollups", "incidents", "timeline", "runs", "steps", "sources"),
        *("decisions", "exits", "holds", "notices", "outbox", "chats", "evidence", "audit"),
    }


def test_a_new_file_says_whose_it_is() -> None:
    with closing(fresh()) as conn:
        assert conn.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert conn.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert conn.execute("SELECT * FROM meta").fetchall() == [SENTINEL]


def test_a_column_takes_only_its_own_kind() -> None:
    with closing(fresh()) as conn, pytest.raises(sqlite3.IntegrityError):
        conn.execute("INSERT INTO holds VALUES ('a', 'not a time', 1, 'me', '', 0, NULL)")


def test_an_old_sqlite_gets_the_same_tables_without_strict() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as conn:
        for statement in ddl(strict=False):
            assert "STRICT" not in statement
            conn.execute(statement)
        found = {row[0] for row in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert set(TABLES) <= found


def test_an_older_file_is_brought_up_step_by_step() -> None:
    said = []
    with closing(fresh()) as conn:
        conn.execute("PRAGMA user_version = 1")
        steps = {1: lambda c: said.append("1 to 2"), 2: lambda c: said.append("2 to 3")}
        assert migrate(conn, steps, version=3) == 1
        assert conn.execute("PRAGMA user_version").fetchone() == (3,)
        assert migrate(conn, steps, version=3) == 3
    assert said == ["1 to 2", "2 to 3"]


def test_a_migration_that_fails_changes_nothing() -> None:
    def half(conn: sqlite3.Connection) -> None:
        conn.execute("DROP TABLE audit")
        raise sqlite3.OperationalError("database or disk is full")

    with closing(fresh()) as conn:
        conn.execute("PRAGMA user_version = 1")
        with pytest.raises(sqlite3.OperationalError):
            migrate(conn, {1: half}, version=2)
        assert conn.execute("PRAGMA user_version").fetchone() == (1,)
        assert conn.execute("SELECT count(*) FROM audit").fetchone() == (0,)


def test_a_file_of_the_first_schema_gets_the_outbox_that_a_new_one_has() -> None:
    def schema(conn: sqlite3.Connection) -> set[tuple[str, str]]:
        return set(conn.execute("SELECT name, sql FROM sqlite_master"))

    with closing(fresh()) as conn, closing(fresh()) as new:
        conn.executescript("DROP TABLE outbox; DROP TABLE chats; PRAGMA user_version = 1;")
        assert migrate(conn) == 1
        assert schema(conn) == schema(new)
