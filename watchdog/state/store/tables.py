"""The tables of the state file, readable with plain SQL: enums are TEXT, times REAL wall seconds, booleans 0 or 1.

`segments` and `rollups` name their service by `services.id` because they are the bulk of the file (SPEC 16).
Latencies in `rollups` are whole microseconds for the same reason. A playbook's text is kept once in `sources`.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping

APPLICATION_ID = 0x42_57_44_47
VERSION = 2
SENTINEL = ("sentinel", "bot-watchdog")
"""A row of `meta`. A file without it is not ours or not whole."""

_DDL = """
CREATE TABLE meta(key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE services(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, doc TEXT NOT NULL DEFAULT '');
CREATE TABLE segments(service_id INTEGER NOT NULL, since REAL NOT NULL, until REAL, state TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY(service_id, since)) WITHOUT ROWID;
CREATE TABLE rollups(at INTEGER NOT NULL, service_id INTEGER NOT NULL, checks INTEGER NOT NULL, bad INTEGER NOT NULL,
    latency_sum_us INTEGER NOT NULL, latency_max_us INTEGER NOT NULL, PRIMARY KEY(at, service_id)) WITHOUT ROWID;
CREATE TABLE incidents(id INTEGER PRIMARY KEY, service TEXT NOT NULL, stage TEXT NOT NULL, opened_at REAL NOT NULL,
    reason TEXT NOT NULL, symptom TEXT, joined TEXT NOT NULL, cause TEXT NOT NULL, blocked_by TEXT, parent INTEGER,
    confirmed_at REAL, closed_at REAL, outcome TEXT, tier TEXT NOT NULL, clock_at REAL, run INTEGER, routine INTEGER NOT NULL,
    acked INTEGER NOT NULL, false_alarm INTEGER NOT NULL, relapses INTEGER NOT NULL, reopened_at REAL,
    bad_before REAL NOT NULL, reminded_at REAL);
CREATE INDEX incidents_by_service ON incidents(service, opened_at);
CREATE INDEX incidents_by_parent ON incidents(parent) WHERE parent IS NOT NULL;
CREATE TABLE timeline(id INTEGER PRIMARY KEY, incident INTEGER NOT NULL, service TEXT NOT NULL, at REAL NOT NULL,
    kind TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX timeline_by_incident ON timeline(incident);
CREATE TABLE sources(digest TEXT NOT NULL PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE runs(id INTEGER PRIMARY KEY, service TEXT NOT NULL, playbook TEXT NOT NULL, incident INTEGER,
    started_at REAL NOT NULL, effect TEXT NOT NULL, digest TEXT NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL,
    "by" TEXT NOT NULL, charged INTEGER NOT NULL, refunded INTEGER NOT NULL, gentle INTEGER NOT NULL, proving_at REAL,
    ended_at REAL, outcome TEXT, detail TEXT NOT NULL);
CREATE INDEX runs_by_service ON runs(service, started_at);
CREATE INDEX runs_by_incident ON runs(incident);
CREATE TABLE steps(run INTEGER NOT NULL, idx INTEGER NOT NULL, id TEXT NOT NULL, action TEXT NOT NULL, effect TEXT NOT NULL,
    intent_at REAL NOT NULL, before TEXT NOT NULL, ended_at REAL, outcome TEXT, detail TEXT NOT NULL, PRIMARY KEY(run, idx));
CREATE TABLE decisions(id INTEGER PRIMARY KEY, service TEXT NOT NULL, at REAL NOT NULL, incident INTEGER, step TEXT NOT NULL,
    verdict TEXT NOT NULL, reason TEXT NOT NULL, playbook TEXT, last_at REAL NOT NULL, times INTEGER NOT NULL,
    trail TEXT NOT NULL, UNIQUE(service, at, step, verdict, reason));
CREATE INDEX decisions_by_time ON decisions(at);
CREATE TABLE exits(service TEXT NOT NULL, at REAL NOT NULL, code INTEGER, ours INTEGER NOT NULL, instance TEXT NOT NULL,
    PRIMARY KEY(service, at, instance));
CREATE TABLE holds(service TEXT NOT NULL, since REAL NOT NULL, until REAL NOT NULL, "by" TEXT NOT NULL, reason TEXT NOT NULL,
    stop INTEGER NOT NULL, ended_at REAL, PRIMARY KEY(service, since));
CREATE TABLE notices(id INTEGER PRIMARY KEY, incident INTEGER, service TEXT NOT NULL, tier TEXT NOT NULL, kind TEXT NOT NULL,
    at REAL NOT NULL, text TEXT NOT NULL, delivered_at REAL);
CREATE INDEX notices_by_incident ON notices(incident);
CREATE TABLE outbox(notice INTEGER NOT NULL, address TEXT NOT NULL, incident INTEGER, state TEXT NOT NULL, muted INTEGER NOT NULL,
    attempts INTEGER NOT NULL, doubts INTEGER NOT NULL, not_before REAL NOT NULL, tried_at REAL, began_at REAL, done_at REAL,
    message_id INTEGER, digest TEXT NOT NULL, detail TEXT NOT NULL, PRIMARY KEY(notice, address));
CREATE INDEX outbox_waiting ON outbox(state) WHERE state = 'waiting';
CREATE INDEX outbox_by_incident ON outbox(incident);
CREATE TABLE chats(address TEXT NOT NULL PRIMARY KEY, moved_to INTEGER, topicless INTEGER NOT NULL, "off" TEXT NOT NULL);
CREATE TABLE evidence(id INTEGER PRIMARY KEY, incident INTEGER NOT NULL, service TEXT NOT NULL, run INTEGER, at REAL NOT NULL,
    kind TEXT NOT NULL, size INTEGER NOT NULL GENERATED ALWAYS AS (length(text)) STORED, text TEXT NOT NULL);
CREATE INDEX evidence_by_incident ON evidence(incident);
CREATE TABLE audit(id INTEGER PRIMARY KEY, at REAL NOT NULL, uid INTEGER NOT NULL, pid INTEGER NOT NULL, verb TEXT NOT NULL,
    text TEXT NOT NULL, granted INTEGER NOT NULL);
"""

TABLES = tuple(line.split("(", 1)[0].split()[-1] for line in _DDL.splitlines() if line.startswith("CREATE TABLE"))
"""The names of all tables, in the order of the DDL."""

Migration = Callable[[sqlite3.Connection], None]


def ddl(*, strict: bool = sqlite3.sqlite_version_info >= (3, 37)) -> tuple[str, ...]:
    """The statements in order; STRICT tables where this SQLite knows them (3.37 and later)."""
    statements = tuple(part.strip() for part in _DDL.split(";") if part.strip())
    return tuple(_strict(statement) for statement in statements) if strict else statements


def _add(*names: str) -> Migration:
    """Tables that an older file does not have, with their indices."""

    def migration(conn: sqlite3.Connection) -> None:
        for statement in ddl():
            if re.search(rf"CREATE TABLE ({'|'.join(names)})\(| ON ({'|'.join(names)})\(", statement):
                conn.execute(statement)

    return migration


MIGRATIONS: Mapping[int, Migration] = {1: _add("outbox", "chats")}
"""From version N to N + 1, by N. Each runs inside the one transaction that also raises user_version."""


def _strict(statement: str) -> str:
    if not statement.startswith("CREATE TABLE"):
        return statement
    return statement + (", STRICT" if statement.endswith("WITHOUT ROWID") else " STRICT")


def create(conn: sqlite3.Connection) -> None:
    """All tables, the identity of the file and the sentinel, in one transaction."""
    conn.execute("BEGIN IMMEDIATE")
    for statement in ddl():
        conn.execute(statement)
    conn.execute("INSERT INTO meta(key, value) VALUES (?, ?)", SENTINEL)
    conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    conn.execute(f"PRAGMA user_version = {VERSION}")
    conn.execute("COMMIT")


def migrate(conn: sqlite3.Connection, migrations: Mapping[int, Migration] = MIGRATIONS, version: int = VERSION) -> int:
    """Bring an older file to `version`; the version it had. All of it or nothing; a failing migration raises what it raised."""
    found = int(conn.execute("PRAGMA user_version").fetchone()[0])
    if found >= version:
        return found
    conn.execute("BEGIN IMMEDIATE")
    try:
        for step in range(found, version):
            migrations[step](conn)
        conn.execute(f"PRAGMA user_version = {version}")
        conn.execute("COMMIT")
    except BaseException:
        if conn.in_transaction:
            conn.execute("ROLLBACK")
        raise
    return found
