"""What the store remembers is put back on the cards; what cannot be read is as good as new."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from recovery.model import Effect, Run, RunOutcome
from tests.builders import Crew
from tests.fakes.records import closed, incident, notice
from tests.fakes.runtime import EPOCH, play
from watchdog.decisions.ports import Record
from watchdog.decisions.recall import recall
from watchdog.decisions.situation import Approval, Parking
from watchdog.model.incident import Stage
from watchdog.model.records import Hold, Memory, Meta
from watchdog.state.history import begin, started
from watchdog.state.memory import dump

NOW = EPOCH


async def remembering(crew: Crew, *records: Record) -> None:
    """The next life finds these in the store."""
    for record in records:
        crew.ledger.put(record)
    await crew.ledger.commit()
    crew.next_life()


def memory(name: str = "bot", **more: Any) -> Memory:
    history = started(begin(name, NOW - 900), NOW - 600, "i1", 30.0)
    return Memory(name, json.dumps({"history": dump(history), **more}))


def run(number: int = 7, **more: Any) -> Run:
    return replace(Run(number, "bot", "restart-unresponsive", 1, NOW - 60, Effect.RESTART), **more)


def test_counts_parking_rung_approval_and_amnesty_survive() -> None:
    async def film() -> None:
        crew = Crew()
        parking = {"since": NOW - 100, "attempts": 2, "next_at": NOW + 900, "woken": [NOW - 50], "chance": "a dependency"}
        approval = {"run": 9, "playbook": "careful", "asked_at": NOW - 5, "expires_at": NOW + 1795, "outcome": None}
        told = memory(parking=parking, approval=approval, rung="soft-restart", amnesty=NOW - 30)
        await remembering(crew, told, replace(incident(1, "bot", NOW - 200), stage=Stage.PARKED, confirmed_at=NOW - 150))
        card = crew.card()
        assert card.history.instance == "i1"
        assert card.history.life.started_at == NOW - 600
        assert card.parking == Parking(NOW - 100, 2, NOW + 900, (NOW - 50,), chance="")
        assert card.approval == Approval(9, "careful", NOW - 5, NOW + 1795)
        assert (card.rung, card.amnesty) == ("soft-restart", NOW - 30)

    play(film())


@pytest.mark.parametrize(
    "doc",
    [
        "",
        "{",
        "[]",
        "null",
        "7",
        '"history"',
        "{}",
        '{"history": null}',
        '{"history": {"form": 99}}',
        '{"history": {"form": 1, "name": "bot", "state": "sunny"}}',
        '{"history": [1, 2, 3]}',
        "NaN",
        "[" * 5000,
    ],
)
def test_a_damaged_memory_is_as_good_as_new_and_costs_nobody_else_anything(doc: str) -> None:
    async def film() -> None:
        crew = Crew({"bot": {}, "other": {}})
        await remembering(crew, Memory("bot", doc), memory("other", rung="soft-restart"))
        assert crew.card().history.instance == ""
        assert (crew.card().parking, crew.card().rung) == (None, "")
        assert crew.card("other").history.instance == "i1"

    play(film())


@pytest.mark.parametrize(
    "more",
    [
        {"parking": {"since": 1, "color": "red"}},
        {"parking": [1, 2]},
        {"approval": {"run": 1}},
        {"approval": "yes"},
    ],
)
def test_a_history_is_kept_when_what_stands_beside_it_cannot_be_read(more: dict[str, Any]) -> None:
    async def film() -> None:
        crew = Crew()
        await remembering(crew, memory(**more))
        assert crew.card().history.instance == "i1"
        assert (crew.card().parking, crew.card().approval) == (None, None)

    play(film())


def test_an_open_incident_is_taken_up_and_a_closed_one_is_remembered_for_relapses() -> None:
    async def film() -> None:
        crew = Crew({"bot": {}, "other": {}})
        past = replace(closed(3, "other", NOW - 500, NOW - 300), symptom="unresponsive", confirmed_at=NOW - 400)
        await remembering(crew, incident(4, "bot", NOW - 60), past)
        assert crew.incident().id == 4
        assert crew.app.fleet.bad == {"bot": NOW - 60}
        assert crew.last("other").id == 3
        assert crew.card("other").past == (past,)

    play(film())


def test_an_incident_that_was_healing_without_an_open_run_is_decided_anew() -> None:
    async def film() -> None:
        healing = replace(incident(4, "bot", NOW - 60), stage=Stage.HEALING, run=7, confirmed_at=NOW - 30)
        crew = Crew()
        await remembering(crew, healing, run(7, ended_at=NOW - 5, outcome=RunOutcome.INTERRUPTED))
        assert (crew.incident().stage, crew.incident().reason) == (Stage.CONFIRMED, "the daemon was started again")
        crew = Crew()
        await remembering(crew, healing, run(7))
        assert crew.incident().stage is Stage.HEALING

    play(film())


def test_a_parking_without_its_incident_is_over() -> None:
    async def film() -> None:
        crew = Crew()
        await remembering(crew, memory(parking={"since": NOW, "attempts": 0, "next_at": NOW, "woken": []}))
        assert crew.card().parking is None

    play(film())


def test_a_hold_that_lasts_is_taken_up_and_one_that_ended_is_not() -> None:
    async def film() -> None:
        crew = Crew({"bot": {}, "other": {}})
        held = Hold("bot", NOW - 60, NOW + 600, "anna", "deploy")
        await remembering(crew, held, Hold("other", NOW - 60, NOW + 600, "anna", ended_at=NOW - 1))
        assert crew.card().hold == held
        assert crew.card("other").hold is None

    play(film())


def test_what_belongs_to_a_service_that_is_gone_stays_in_the_store() -> None:
    async def film() -> None:
        crew = Crew()
        gone: list[Record] = [
            memory("old"),
            incident(4, "old", NOW),
            Hold("old", NOW, NOW + 9, "anna"),
            replace(run(7), service="old"),
        ]
        await remembering(crew, *gone)
        assert list(crew.app.fleet.cards) == ["bot"]
        assert crew.app.fleet.bad == {}

    play(film())


def test_numbers_go_on_where_the_store_ends() -> None:
    async def film() -> None:
        crew = Crew()
        await remembering(crew, incident(41, "old", NOW), run(17, ended_at=NOW), notice(29, at=NOW), Meta("boot_id", "b00t"))
        fleet = crew.app.fleet
        assert (fleet.next_incident, fleet.next_run, fleet.next_notice) == (42, 18, 30)

    play(film())


def test_the_budget_of_the_last_hour_survives_a_kill_of_the_daemon() -> None:
    """I5, F32."""

    async def film() -> None:
        crew = Crew()
        crew.runtimes["bot"].dies_after = 1.0
        async with crew.at_work():
            await crew.wait(35)
            crew.runtimes["bot"].die(1)
            await crew.until(lambda: crew.runtimes["bot"].starts == 2)
        starts = crew.runtimes["bot"].starts
        crew.next_life()
        assert [each.charged for each in crew.card().charges if each.playbook == "start-exited"].count(True) == starts
        async with crew.at_work():
            await crew.wait(1800)
            assert crew.runtimes["bot"].starts == 3
            assert crew.incident().stage is Stage.PARKED

    play(film())


def test_nothing_remembered_is_a_fleet_as_new() -> None:
    async def film() -> None:
        crew = Crew()
        recall(crew.app.fleet, crew.ledger.load(NOW))
        fleet = crew.app.fleet
        assert (fleet.next_incident, fleet.next_run, fleet.next_notice, fleet.bad) == (1, 1, 1, {})

    play(film())
