from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.fakes.records import T, closed, decision, ended, incident, notice, run
from watchdog.model.letter import Letter, LetterState
from watchdog.model.records import Audit, Entry, Evidence, Exit, Hold, Rollup, Segment
from watchdog.model.service import State
from watchdog.state.store.connection import memory
from watchdog.state.store.reader import Reader
from watchdog.state.store.retention import BATCH, EVIDENCE_TOTAL, RULES
from watchdog.state.store.rows import Record, Rows
from watchdog.state.store.text import EVIDENCE, plain

OLD, CUT = T - 1000, T - 500


@pytest.fixture
def conn() -> Iterator[sqlite3.Connection]:
    opened = memory()
    yield opened
    opened.close()


def save(conn: sqlite3.Connection, *records: Record) -> Reader:
    rows = Rows(conn, plain)
    for record in records:
        rows.save(record)
    return Reader(conn)


def prune(conn: sqlite3.Connection) -> None:
    for rule in RULES:
        while conn.execute(rule.sql, rule.bind(CUT)).rowcount >= BATCH:
            pass


def test_what_is_older_than_kept_goes_and_the_rest_stays(conn: sqlite3.Connection) -> None:
    reader = save(
        conn,
        *(Rollup("a", int(at), 1, 0, 0.1, 0.1) for at in (OLD, T)),
        *(Segment("a", State.OK, at, at + 10) for at in (OLD, T)),
        Segment("b", State.OK, OLD),
        *(replace(decision(at=at), last_at=at) for at in (OLD, T)),
        *(Exit("a", at, 1, False) for at in (OLD, T)),
        *(Audit(at, 0, 1, "hold", "", True) for at in (OLD, T)),
        *(Hold("a", at, at + 10, "me", ended_at=at + 5) for at in (OLD, T)),
        Hold("b", OLD, OLD + 10, "me"),
    )
    prune(conn)
    assert [one.at for one in reader.rollups()] == [int(T)]
    assert [(one.service, one.since) for one in reader.segments()] == [("a", T), ("b", OLD)]
    assert [one.at for one in reader.decisions("scraper")] == [T]
    assert [one.at for one in reader.exits()] == [one.at for one in reader.audit()] == [T]
    assert [(one.service, one.since) for one in reader.holds(ended=True)] == [("b", OLD), ("a", T)]


def test_an_open_incident_and_its_run_are_never_forgotten(conn: sqlite3.Connection) -> None:
    reader = save(
        conn,
        incident(1, at=OLD),
        run(1, at=OLD),
        ended(2, at=OLD, of=1),
        Evidence(1, "scraper", 1, OLD, "evidence", "kept"),
        Entry(1, "scraper", OLD, "check", "kept"),
        closed(9, at=T, ended=T + 1),
        ended(9, at=T, of=9),
    )
    prune(conn)
    assert [one.id for one in reader.incidents()] == [9, 1]
    assert [one.id for one in reader.runs()] == [1, 2, 9]
    assert len(reader.evidence(1)) == len(reader.timeline(1)) == 1
    assert len(reader.runs()[0].steps) == 1


def test_a_closed_incident_goes_with_all_that_hangs_on_it(conn: sqlite3.Connection) -> None:
    reader = save(
        conn,
        closed(1, at=OLD, ended=OLD + 140),
        replace(ended(1, at=OLD), digest="old", source="old text"),
        Evidence(1, "scraper", 1, OLD, "evidence", "x"),
        Entry(1, "scraper", OLD, "check", "x"),
        replace(notice(1, at=OLD), delivered_at=OLD),
        closed(2, at=T, ended=T + 1),
        ended(2, at=T, of=2),
        notice(2, of=2, at=T),
    )
    prune(conn)
    assert (
        [one.id for one in reader.incidents()] == [one.id for one in reader.runs()] == [one.id for one in reader.notices()] == [2]
    )
    for table in ("evidence", "timeline"):
        assert conn.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert conn.execute("SELECT DISTINCT run FROM steps").fetchall() == [(2,)]
    assert conn.execute("SELECT digest FROM sources").fetchall() == [("d1",)]


def test_ids_are_not_used_twice_after_everything_grew_old(conn: sqlite3.Connection) -> None:
    reader = save(conn, closed(7, at=OLD, ended=OLD + 1), ended(8, at=OLD, of=7), replace(notice(9, at=OLD), delivered_at=OLD))
    prune(conn)
    loaded = reader.load(T)
    assert (loaded.next_incident, loaded.next_run, loaded.next_notice) == (8, 9, 10)


def test_a_notice_that_nobody_got_is_kept_however_old(conn: sqlite3.Connection) -> None:
    reader = save(conn, notice(1, at=OLD), replace(notice(2, at=OLD), delivered_at=OLD), notice(3, at=T))
    prune(conn)
    assert [one.id for one in reader.notices()] == [1, 3]


def test_evidence_has_a_size_in_all_and_the_oldest_goes_first(conn: sqlite3.Connection) -> None:
    many = EVIDENCE_TOTAL // EVIDENCE + 10
    pieces = (Evidence(1, "a", None, T + number, "evidence", "x" * (EVIDENCE + 5)) for number in range(many))
    save(conn, incident(), *pieces)
    prune(conn)
    total, oldest = conn.execute("SELECT sum(size), min(at) FROM evidence").fetchone()
    assert total <= EVIDENCE_TOTAL
    assert T + 10 <= oldest <= T + 20


def test_one_batch_is_small(conn: sqlite3.Connection) -> None:
    save(conn, *(Rollup("a", number, 1, 0, 0, 0) for number in range(BATCH + 5)))
    assert conn.execute(RULES[0].sql, RULES[0].bind(CUT)).rowcount == BATCH


def test_a_notice_stays_while_one_of_its_letters_waits_and_goes_when_all_were_given_up(conn: sqlite3.Connection) -> None:
    waits = Letter(1, "telegram:1", 1)
    given_up = Letter(2, "telegram:1", 1, LetterState.REFUSED)
    delivered = replace(notice(1, at=OLD), delivered_at=OLD)
    reader = save(conn, delivered, notice(2, at=OLD), notice(3, at=OLD), notice(4, at=OLD), waits, given_up)
    prune(conn)
    assert [each.id for each in reader.notices()] == [1, 3, 4], "3 was never on its way anywhere; 4 is the newest"
    assert reader.letters() == (waits,)
