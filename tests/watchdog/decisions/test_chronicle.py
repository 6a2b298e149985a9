"""What happened is a row: decisions counted once while they repeat, changes of stage as lines of the timeline."""

from __future__ import annotations

import json
from dataclasses import replace

from recovery.model import RunOutcome
from tests.builders import Crew
from tests.fakes.film import answer
from tests.fakes.records import ended, run
from tests.fakes.runtime import EPOCH, play
from watchdog.decisions.chronicle import MONTH, RECENT, Chronicle
from watchdog.model.decision import Decision, Ruling, Step, Verdict
from watchdog.model.incident import Stage
from watchdog.model.records import Entry, Hold, Memory, Segment
from watchdog.model.service import State
from watchdog.state import incidents
from watchdog.state.history import begin, fold, started

T = EPOCH
HELD = Ruling(Step.OPERATOR, Verdict.WAIT, "on hold by anna")
COOLS = Ruling(Step.BUDGET, Verdict.WAIT, "cooldown of restart", until=T + 60)
HEALS = Ruling(Step.PLAYBOOK, Verdict.HEAL, "only match", playbook="restart-unresponsive")


def chronicle() -> tuple[Crew, Chronicle]:
    crew = Crew()
    return crew, crew.app.chronicle


def test_the_same_answer_again_is_no_new_row_but_is_counted_and_told_when_another_comes() -> None:
    async def film() -> None:
        crew, told = chronicle()
        for second in range(600):
            told.decision(crew.card(), (HELD,), T + second)
        assert [row.times for row in crew.ledger.all(Decision)] == [1]
        kept = crew.card().decision
        assert kept is not None
        assert (kept.times, kept.last_at) == (600, T + 599)
        told.decision(crew.card(), (COOLS,), T + 600)
        assert [(row.reason, row.at - T, row.times) for row in crew.ledger.all(Decision)] == [
            ("on hold by anna", 0, 1),
            ("on hold by anna", 0, 600),
            ("cooldown of restart", 600, 1),
        ]

    play(film())


def test_a_moment_that_moves_is_no_other_answer() -> None:
    async def film() -> None:
        crew, told = chronicle()
        told.decision(crew.card(), (COOLS,), T)
        told.decision(crew.card(), (replace(COOLS, until=T + 61),), T + 1)
        assert len(crew.ledger.all(Decision)) == 1

    play(film())


def test_a_deed_is_never_the_same_as_the_one_before() -> None:
    async def film() -> None:
        crew, told = chronicle()
        told.decision(crew.card(), (HEALS,), T)
        told.decision(crew.card(), (HEALS,), T + 600)
        assert [row.at - T for row in crew.ledger.all(Decision)] == [0, 600]

    play(film())


def test_the_same_answer_in_another_incident_is_a_row_of_its_own() -> None:
    async def film() -> None:
        crew, told = chronicle()
        for number in (1, 2):
            crew.card().incident = incidents.opened(number, "bot", T, "timeout")
            told.decision(crew.card(), (HELD,), T + number)
        assert [row.incident for row in crew.ledger.all(Decision)] == [1, 2]

    play(film())


def test_a_change_of_stage_or_reason_is_a_line_and_nothing_else_is() -> None:
    async def film() -> None:
        crew, told = chronicle()
        first = incidents.opened(1, "bot", T, "timeout")
        told.open(first)
        crew.card().incident = first
        told.incident(crew.card(), replace(first, acked=True), T + 1)
        waiting = incidents.waiting(first, "settling", T + 2, clock_runs=True)
        told.incident(crew.card(), waiting, T + 2)
        told.incident(crew.card(), replace(waiting, reason="cooldown"), T + 3)
        assert [(row.at - T, row.kind, row.text) for row in crew.ledger.all(Entry)] == [
            (0, "opened", "timeout"),
            (2, "waiting", "settling"),
            (3, "waiting", "cooldown"),
        ]
        assert crew.app.fleet.next_incident == 2
        assert crew.incident().stage is Stage.WAITING

    play(film())


def test_a_change_of_state_closes_a_segment_opens_the_next_and_is_remembered() -> None:
    async def film() -> None:
        crew, told = chronicle()
        card, service = crew.card(), crew.card().service
        first = started(begin("bot", T), T, "i1", 30.0)
        told.history(card, first)
        ok = fold(first, answer(T + 10), service)
        told.history(card, ok)
        told.history(card, fold(ok, answer(T + 40), service))
        rows = crew.ledger.all(Segment)
        assert [(row.state, row.since - T, row.until and row.until - T) for row in rows] == [
            (State.UNKNOWN, 0, 0),
            (State.STARTING, 0, None),
            (State.STARTING, 0, 10),
            (State.OK, 10, None),
        ]
        assert json.loads(crew.ledger.all(Memory)[-1].doc)["history"]["state"] == "ok"

    play(film())


def test_a_card_keeps_runs_for_a_day_those_that_helped_for_a_month_and_what_is_open_for_ever() -> None:
    async def film() -> None:
        crew, told = chronicle()
        failed = replace(ended(2, "bot", T - 2 * RECENT), outcome=RunOutcome.FAILED)
        old, helped = ended(3, "bot", T - 2 * MONTH), ended(4, "bot", T - 2 * RECENT)
        last = ended(5, "bot", T - 60)
        for each in (run(1, "bot", T - 2 * MONTH), failed, old, helped, last):
            told.run(crew.card(), each, T)
        told.run(crew.card(), replace(last, detail="again"), T)
        assert [(each.id, each.detail) for each in crew.card().runs] == [(1, ""), (4, "2 good answers"), (5, "again")]

    play(film())


def test_a_hold_that_is_replaced_or_lifted_has_its_end_on_disk() -> None:
    async def film() -> None:
        crew, told = chronicle()
        first, second = Hold("bot", T, T + 600, "anna"), Hold("bot", T + 10, T + 60, "ben")
        told.hold(crew.card(), first, T)
        told.hold(crew.card(), second, T + 10)
        told.hold(crew.card(), None, T + 20)
        assert [(row.by, row.ended_at and row.ended_at - T) for row in crew.ledger.all(Hold)] == [
            ("anna", None),
            ("anna", 10),
            ("ben", None),
            ("ben", 20),
        ]
        assert crew.card().hold is None

    play(film())
