"""The heart: it beats, starts what is due, sleeps on purpose, and knows when it slept against its will (F08)."""

from __future__ import annotations

from structlog.testing import capture_logs

from tests.builders import Crew, says
from tests.fakes.prober import HANG, OK
from tests.fakes.runtime import play
from watchdog.decisions.fleet import QUIET
from watchdog.decisions.wishes import AskAnew
from watchdog.model.observation import Kind
from watchdog.model.records import Rollup


def test_every_service_is_asked_at_its_interval_also_when_nothing_goes_on() -> None:
    async def film() -> None:
        crew = Crew({"bot": {}, "quick": {"interval": "5s", "timeout": "4s"}})
        async with crew.at_work():
            await crew.wait(61)
            assert crew.prober.times("bot") == [0.0, 30.0, 60.0]
            assert len(crew.prober.times("quick")) == 13

    play(film())


def test_it_sleeps_until_something_is_due_and_says_until_when() -> None:
    async def film() -> None:
        crew = Crew({"bot": {"interval": "10m", "timeout": "30s"}})
        async with crew.at_work() as app:
            await crew.wait(1)
            assert app.loop.sleeps_until == QUIET
            await crew.wait(QUIET)
            assert app.loop.sleeps_until == 2 * QUIET

    play(film())


def test_sums_of_checks_are_handed_to_the_store_once_a_minute() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            await crew.wait(300)
            rows = crew.ledger.all(Rollup)
            assert 3 <= len(rows) <= 6
            assert sum(row.checks for row in rows) >= 8

    play(film())


def test_what_called_itself_critical_is_asked_again_in_five_seconds() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            await crew.wait(3)
            crew.prober.says["bot"] = says(Kind.CRITICAL)
            await crew.wait(30)
            assert crew.prober.times("bot") == [0.0, 30.0]
            await crew.wait(5)
            assert crew.prober.times("bot")[:3] == [0.0, 30.0, 35.0]

    play(film())


def test_a_wish_to_ask_anew_is_carried_out_once_while_the_question_is_out() -> None:
    async def film() -> None:
        crew = Crew({"db": {}, "bot": {"depends_on": ["db"]}})
        async with crew.at_work() as app:
            await crew.wait(3)
            crew.prober.says["db"] = HANG
            for _ in range(5):
                app.loop.carry_out(AskAnew(("db", "gone")))
            await crew.wait(3)
            assert crew.prober.times("db") == [0.0, 3.0]

    play(film())


def test_f08_after_a_suspension_everybody_is_asked_once_and_nobody_is_healed_before_the_answers_are_in() -> None:
    async def film() -> None:
        crew = Crew({"bot": {}, "other": {}}, guards={"settle": "30s"})
        async with crew.at_work() as app:
            await crew.wait(40)
            crew.prober.says["bot"] = HANG
            await crew.wait(85)
            before = {name: len(crew.prober.times(name)) for name in ("bot", "other")}
            with capture_logs() as said:
                crew.clock.skip = 3600.0
                crew.prober.says["bot"] = OK
                await crew.wait(8)
            assert [each["event"] for each in said] == ["suspended"]
            after = {name: len(crew.prober.times(name)) for name in ("bot", "other")}
            assert all(after[name] - before[name] <= 1 for name in before), "no burst of missed checks"
            assert app.fleet.settle_until > crew.clock.now()
            await crew.wait(120)
            assert crew.deeds() == []

    play(film())


def test_f07_a_wall_clock_that_steps_hours_forward_and_back_heals_nobody() -> None:
    async def film() -> None:
        crew = Crew()
        with capture_logs():
            await stepping(crew)

    async def stepping(crew: Crew) -> None:
        async with crew.at_work():
            for step in (3 * 3600.0, -6 * 3600.0, 3 * 3600.0):
                await crew.wait(100)
                crew.clock.step += step
            await crew.wait(299)
            assert crew.deeds() == []
            assert crew.card().incident is None
            assert len(crew.prober.times("bot")) == 20

    play(film())
