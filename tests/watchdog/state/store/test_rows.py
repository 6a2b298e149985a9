from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.fakes.records import T, decision, ended, incident, one_of_each, run
from watchdog.model.records import Evidence, Memory, Rollup, Segment
from watchdog.model.service import State
from watchdog.state.store.connection import memory
from watchdog.state.store.reader import Reader
from watchdog.state.store.rows import Rows


def hide(text: str) -> str:
    return text.replace("s3cr3t", "[hidden]")


@pytest.fixture
def conn() -> Iterator[sqlite3.Connection]:
    opened = memory()
    yield opened
    opened.close()


def test_an_outside_reader_sees_words_and_wall_seconds(conn: sqlite3.Connection) -> None:
    rows = Rows(conn, hide)
    for record in one_of_each():
        rows.save(record)
    assert conn.execute("SELECT service, stage, opened_at, tier, acked FROM incidents").fetchall() == [
        ("scraper", "open", T, "soft", 1)
    ]
    assert conn.execute("SELECT run, idx, action, before, outcome FROM steps ORDER BY idx").fetchall() == [
        (1, 0, "stop_process", "812:4711:b00t", "ok"),
        (1, 1, "ensure_running", "", "ok"),
    ]
    step, verdict, playbook, trail = conn.execute("SELECT step, verdict, playbook, trail FROM decisions").fetchone()
    assert (step, verdict, playbook) == ("playbook", "heal", "restart-unresponsive")
    assert json.loads(trail)[0] == {"step": "host", "verdict": "pass", "reason": "network fine"}


def test_a_run_is_one_row_whose_steps_go_from_intent_to_outcome(conn: sqlite3.Connection) -> None:
    rows = Rows(conn, hide)
    rows.save(run())
    assert conn.execute("SELECT outcome FROM steps").fetchall() == [(None,)]
    rows.save(ended())
    assert conn.execute("SELECT outcome FROM steps").fetchall() == [("ok",), ("ok",)]
    assert conn.execute("SELECT count(*), max(outcome) FROM runs").fetchone() == (1, "healed")


def test_the_text_of_a_playbook_is_kept_once_for_many_runs(conn: sqlite3.Connection) -> None:
    rows = Rows(conn, hide)
    for number in range(1, 4):
        rows.save(run(number))
    rows.save(replace(run(4), digest="", source="inline: yes"))
    assert conn.execute("SELECT * FROM sources").fetchall() == [("d1", "name: restart\n")]
    assert [one.source for one in Reader(conn).runs()] == ["name: restart\n"] * 3 + ["inline: yes"]


def test_rollups_of_one_bucket_add_up_across_flushes_and_restarts(conn: sqlite3.Connection) -> None:
    Rows(conn, hide).save(Rollup("a", 300, 4, 1, 0.5, 0.25))
    Rows(conn, hide).save(Rollup("a", 300, 6, 0, 0.25, 0.125))
    assert Reader(conn).rollups() == (Rollup("a", 300, 10, 1, 0.75, 0.25),)


def test_a_segment_grows_and_a_decision_counts_its_repetitions(conn: sqlite3.Connection) -> None:
    rows = Rows(conn, hide)
    rows.save(Segment("a", State.OK, 1.0))
    rows.save(Segment("a", State.OK, 1.0, 9.0, "healthy"))
    assert Reader(conn).segments() == (Segment("a", State.OK, 1.0, 9.0, "healthy"),)
    rows.save(decision())
    rows.save(replace(decision(), times=9))
    assert [one.times for one in Reader(conn).decisions("scraper")] == [9]


def test_what_bots_said_is_redacted_but_names_and_playbooks_are_not(conn: sqlite3.Connection) -> None:
    rows = Rows(conn, hide)
    rows.save(replace(incident(), reason="401 with s3cr3t", cause="s3cr3t"))
    rows.save(Evidence(1, "a", None, T, "evidence", "TOKEN=s3cr3t"))
    rows.save(Memory("a", '{"last": "s3cr3t"}'))
    rows.save(Segment("a", State.FAILING, T, None, "s3cr3t"))
    rows.save(replace(ended(), detail="s3cr3t"))
    told = decision()
    rows.save(replace(told, trail=(*told.trail[:-1], replace(told.last, reason="s3cr3t"))))
    assert "s3cr3t" not in "\n".join(conn.iterdump())
    assert "[hidden]" in "\n".join(conn.iterdump())


def test_text_that_no_utf8_holds_is_stored_all_the_same(conn: sqlite3.Connection) -> None:
    Rows(conn, hide).save(replace(incident(service="\ud800bot"), reason="\ud83d broke"))
    found = Reader(conn).incident(1)
    assert found is not None
    assert (found.service, found.reason) == ("�bot", "� broke")


def test_ids_of_services_are_found_anew_after_a_rollback(conn: sqlite3.Connection) -> None:
    rows = Rows(conn, hide)
    conn.execute("BEGIN")
    rows.save(Rollup("a", 300, 1, 0, 0, 0))
    conn.execute("ROLLBACK")
    rows.forget()
    rows.save(Rollup("b", 300, 1, 0, 0, 0))
    rows.save(Rollup("a", 300, 2, 0, 0, 0))
    assert [(one.service, one.checks) for one in Reader(conn).rollups()] == [("a", 2), ("b", 1)]
