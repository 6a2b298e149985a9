"""One recovery per service, begun only when its intent is on disk (SPEC 5, locks; I1)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recovery.errors import StepFailed
from recovery.model import Effect, Run, RunOutcome
from recovery.ports import Life
from tests.builders import BOOKS, Crew, says
from tests.fakes.prober import HANG, OK
from tests.fakes.runtime import play
from watchdog.decisions.healer import wait_done
from watchdog.decisions.situation import Approval
from watchdog.decisions.wishes import Heal
from watchdog.model.incident import Stage
from watchdog.model.observation import Kind
from watchdog.model.records import Entry, Evidence

WISH = Heal("bot", BOOKS["restart-unresponsive"])


def test_f27_of_two_wishes_for_one_service_the_second_comes_to_nothing() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work() as app:
            await crew.wait(1)
            assert app.healer.begin(WISH) is not None
            assert app.healer.begin(Heal("bot", BOOKS["start-exited"])) is None
            await crew.wait(60)
            assert crew.deeds() == ["stop i1", "start"]
            assert [run.id for run in crew.card().runs] == [1]

    play(film())


def test_a_run_whose_intent_cannot_be_written_touches_nothing_and_costs_nothing() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work() as app:
            await crew.wait(1)
            crew.ledger.away = "disk full"
            app.healer.begin(WISH)
            await crew.wait(5)
            (run,) = crew.card().runs
            assert (run.outcome, run.refunded, run.detail) == (RunOutcome.INTERRUPTED, True, "not journalled: disk full")
            assert (crew.deeds(), crew.card().active) == ([], None)

    play(film())


def test_a_run_remembers_whose_instance_it_was_and_with_which_playbook() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work() as app:
            await crew.wait(1)
            app.healer.begin(WISH)
            await crew.wait(60)
            written = next(row for row in crew.ledger.disk if isinstance(row, Run))
            assert (written.target, written.effect, written.charged) == ("i1", Effect.RESTART, True)
            assert written.digest == BOOKS["restart-unresponsive"].digest
            assert written.source == BOOKS["restart-unresponsive"].source

    play(film())


def test_evidence_is_taken_at_once_when_a_bot_calls_itself_critical() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            await crew.wait(5)
            crew.prober.says["bot"] = says(Kind.CRITICAL, "queue stuck")
            await crew.wait(26)
            assert crew.card().active is None
            (kept,) = crew.ledger.all(Evidence)
            assert kept.run is None
            assert "cycle done" in kept.text

    play(film())


def test_capture_of_a_service_that_is_gone_or_being_healed_is_left_alone() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work() as app:
            await crew.wait(1)
            await app.healer.capture("gone")
            app.healer.begin(WISH)
            before = len(crew.ledger.all(Evidence))
            await app.healer.capture("bot")
            assert len(crew.ledger.all(Evidence)) == before

    play(film())


def test_a_failed_run_keeps_the_last_lines_of_the_bot_for_the_message() -> None:
    async def film() -> None:
        crew = Crew(guards={"settle": "0s", "proof": "20s"})
        crew.runtimes["bot"].log = ["one", "", "two", "three", "ImportError: gspread"]
        async with crew.at_work() as app:
            crew.prober.says["bot"] = HANG
            await crew.wait(1)
            app.healer.begin(WISH)
            await crew.wait(60)
            assert crew.card().runs[-1].outcome is RunOutcome.FAILED
            assert crew.card().log == ("one", "two", "three", "ImportError: gspread")

    play(film())


def test_a_last_look_that_fails_is_no_end_of_the_bot() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work() as app:
            await crew.wait(1)
            app.healer.begin(WISH)
            await crew.until(lambda: crew.active().run.proving_at is not None)
            crew.runtimes["bot"].fails = {"look": [StepFailed("busy")] * 30}
            await crew.wait(60)
            assert crew.card().history.running is True
            assert crew.runtimes["bot"].sight.life is Life.RUNNING

    play(film())


def test_f27_of_two_red_services_in_one_chain_the_root_alone_is_healed_and_the_other_waits() -> None:
    async def film() -> None:
        crew = Crew({"db": {}, "bot": {"depends_on": ["db"]}})
        async with crew.at_work():
            await crew.wait(5)
            crew.prober.says = {"db": HANG, "bot": HANG}
            await crew.until(lambda: crew.deeds("db") != [])
            assert (crew.incident("bot").stage, crew.incident("bot").blocked_by) == (Stage.BLOCKED, "db")
            assert crew.incident("bot").parent == crew.incident("db").id
            crew.prober.says = {}
            await crew.wait(180)
            assert (crew.deeds("db"), crew.deeds("bot")) == (["stop i1", "start"], [])

    play(film())


def test_an_approved_run_keeps_its_number_and_another_playbook_does_not_take_it() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work() as app:
            await crew.wait(1)
            now = crew.clock.now()
            app.fleet.next_run = 8
            crew.card().approval = Approval(7, "careful", now, now + 60, "approved")
            run = app.healer.begin(WISH)
            assert run is not None
            assert run.id == 8

    play(film())


def test_waiting_for_the_end_of_a_run_has_an_end_of_its_own() -> None:
    async def film() -> None:
        crew = Crew()
        assert await wait_done(None, 5.0)
        crew.runtimes["bot"].takes = {"stop": 50.0}
        async with crew.at_work() as app:
            await crew.wait(1)
            app.healer.begin(WISH)
            began = crew.clock.monotonic()
            assert not await wait_done(crew.active(), 5.0)
            assert crew.clock.monotonic() - began == pytest.approx(5.0)
            crew.prober.says["bot"] = OK
            assert await wait_done(crew.active(), 120.0)

    play(film())


def test_an_open_run_that_cannot_be_gone_on_with_is_ended_and_refunded_if_it_touched_nothing() -> None:
    async def film() -> None:
        crew = Crew()
        run = Run(5, "bot", "old-book", None, crew.clock.now() - 60, Effect.RESTART)
        crew.app.healer.drop(crew.card(), run, "its playbook is gone")
        (kept,) = crew.card().runs
        assert kept == replace(
            run, ended_at=crew.clock.now(), outcome=RunOutcome.INTERRUPTED, detail="its playbook is gone", refunded=True
        )
        assert crew.ledger.all(Entry) == []

    play(film())
