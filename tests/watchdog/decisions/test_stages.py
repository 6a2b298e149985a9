"""From stage to stage: what the end of a run, a wait and a person's word make of an incident (SPEC 7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from recovery.model import Effect, Run, RunOutcome
from tests.builders import BOOKS, Crew
from tests.fakes.prober import HANG, OK
from tests.fakes.runtime import EPOCH, play
from watchdog.decisions.situation import Parking
from watchdog.model.incident import Outcome, Stage, Tier
from watchdog.model.records import NoticeKind
from watchdog.model.symptom import Symptom
from watchdog.state import incidents

T = EPOCH
HUNG = Symptom("unresponsive", T, "4 timeouts")
BOOK = BOOKS["restart-unresponsive"]
RUN = Run(1, "bot", BOOK.name, 1, T + 90, Effect.RESTART, ended_at=T + 120)


def healing(**more: Any) -> Crew:
    """A bot whose run is at its end."""
    crew = Crew(**more)
    confirmed = incidents.confirmed(incidents.opened(1, "bot", T, "timeout"), HUNG, T + 90)
    crew.card().incident = incidents.healing(confirmed, 1, BOOK.name, T + 90, routine=True)
    crew.card().runs = (RUN,)
    return crew


@pytest.mark.parametrize(
    ("outcome", "stage"),
    [
        (RunOutcome.FAILED, Stage.CONFIRMED),
        (RunOutcome.INTERRUPTED, Stage.CONFIRMED),
        (RunOutcome.SUPERSEDED, Stage.CONFIRMED),
        (RunOutcome.HELD, Stage.WAITING),
        (RunOutcome.NEEDS_PERSON, Stage.PERSON),
    ],
)
def test_each_end_of_a_run_has_its_stage(outcome: RunOutcome, stage: Stage) -> None:
    async def film() -> None:
        crew = healing()
        crew.app.stages.ended(crew.card(), replace(RUN, outcome=outcome, detail="because"), BOOK, T + 120)
        assert crew.incident().stage is stage
        assert crew.incident().reason == "restart-unresponsive: because"
        assert (crew.incident().clock_at is None) == (outcome is RunOutcome.HELD)

    play(film())


def test_only_a_proof_heals() -> None:
    async def film() -> None:
        crew = healing()
        crew.app.stages.ended(crew.card(), replace(RUN, outcome=RunOutcome.HEALED), BOOK, T + 120)
        assert crew.card().incident is None
        assert (crew.last().outcome, crew.last().reason) == (Outcome.HEALED, "healed by restart-unresponsive")
        assert crew.last().duration(T + 999) == 120.0

    play(film())


def test_an_end_without_an_incident_changes_nothing() -> None:
    async def film() -> None:
        crew = Crew()
        crew.app.stages.ended(crew.card(), replace(RUN, outcome=RunOutcome.FAILED), BOOK, T + 120)
        assert crew.card().incident is None

    play(film())


def test_the_next_rung_is_remembered_and_escalate_is_a_person() -> None:
    async def film() -> None:
        crew = healing()
        failed = replace(RUN, outcome=RunOutcome.FAILED)
        crew.app.stages.ended(crew.card(), failed, replace(BOOK, otherwise="soft-restart"), T + 120)
        assert (crew.card().rung, crew.incident().stage) == ("soft-restart", Stage.CONFIRMED)
        crew = healing()
        crew.app.stages.ended(crew.card(), failed, replace(BOOK, otherwise="gone"), T + 120)
        assert crew.card().rung == ""
        crew = healing()
        crew.app.stages.ended(crew.card(), failed, replace(BOOK, otherwise="escalate"), T + 120)
        assert crew.incident().stage is Stage.PERSON

    play(film())


def test_f32_the_last_allowed_run_that_fails_parks_at_once_with_the_count() -> None:
    async def film() -> None:
        crew = healing()
        runs = tuple(replace(RUN, id=n, started_at=T - 600 * n, outcome=RunOutcome.FAILED) for n in (3, 2, 1))
        crew.card().runs = runs
        crew.app.stages.ended(crew.card(), replace(runs[-1], detail="it ended during the proof"), BOOK, T + 120)
        assert crew.incident().stage is Stage.PARKED
        assert crew.incident().reason == "restart-unresponsive: it ended during the proof; that was 3 of 3"
        assert crew.incident().outcome is Outcome.ESCALATED
        assert crew.card().parking == Parking(T + 120, 0, T + 120 + 3600)

    play(film())


def test_a_failed_attempt_of_a_parked_bot_leaves_it_parked_with_its_next_moment() -> None:
    async def film() -> None:
        crew = healing()
        crew.card().parking = Parking(T, 1, T + 7200, ())
        crew.app.stages.ended(crew.card(), replace(RUN, outcome=RunOutcome.INTERRUPTED), BOOK, T + 120)
        assert crew.incident().stage is Stage.PARKED
        parking = crew.card().parking
        assert parking is not None
        assert parking.next_at >= T + 7200

    play(film())


def test_parked_it_is_tried_after_one_then_two_then_four_hours() -> None:
    async def film() -> None:
        crew = Crew(
            {"bot": {"interval": "5m", "timeout": "1m"}},
            guards={"settle": "0s", "budget": "1/1h", "proof": "1m", "cooldown": "0s"},
        )
        crew.prober.says["bot"] = HANG
        async with crew.at_work():
            await crew.until(lambda: crew.card().parking is not None)
            parked = crew.clock.monotonic()
            await crew.wait(8 * 3600)
            starts = [run.started_at - EPOCH - parked for run in crew.card().runs][1:]
            assert [round(at / 3600) for at in starts] == [1, 3, 7]
            pages = [each for each in crew.mail.got if each.tier is Tier.CRITICAL and each.kind is NoticeKind.NEW]
            assert len(pages) == 1, "a failed attempt edits the message, it is no new alert"

    play(film())


def test_a_parked_bot_gets_a_chance_when_its_dependency_turned_healthy_at_most_three_a_day() -> None:
    async def film() -> None:
        crew = healing()
        card = crew.card()
        card.incident = incidents.parked(crew.incident(), "3 of 3", T)
        card.parking = Parking(T, 0, T + 3600)
        for number in range(5):
            crew.app.stages.reconnected(card, T + 60 * number)
            assert card.parking is not None
            woken = min(number + 1, 3)
            assert (len(card.parking.woken), card.parking.chance != "") == (woken, number < 3)
            card.parking = replace(card.parking, chance="")

    play(film())


def test_two_good_answers_unpark() -> None:
    async def film() -> None:
        crew = Crew(guards={"settle": "0s", "budget": "1/1h", "proof": "30s"})
        crew.prober.says["bot"] = HANG
        async with crew.at_work():
            await crew.until(lambda: crew.card().parking is not None)
            crew.prober.says["bot"] = OK
            await crew.wait(95)
            assert (crew.card().parking, crew.card().incident) == (None, None)
            assert crew.last().outcome is Outcome.ESCALATED

    play(film())


def test_while_it_is_held_a_bad_bot_has_an_incident_whose_clock_stands_still_and_a_cure_is_ignored() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            await crew.ask("hold", service="bot", for_=3600.0)
            crew.prober.says["bot"] = HANG
            await crew.wait(1500)
            assert crew.incident().clock_at is None
            assert crew.told() == []
            crew.prober.says["bot"] = OK
            await crew.wait(70)
            assert crew.last().outcome is Outcome.IGNORED

    play(film())


def test_the_clock_begins_anew_when_a_hold_is_over() -> None:
    async def film() -> None:
        crew = healing()
        card = crew.card()
        card.incident = incidents.waiting(crew.incident(), "on hold", T + 100, clock_runs=False)
        crew.app.stages.released(card, T + 500)
        assert (crew.incident().stage, crew.incident().clock_at) == (Stage.OPEN, T + 500)

    play(film())
