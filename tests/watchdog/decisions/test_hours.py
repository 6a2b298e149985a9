"""What time alone changes: pauses and holds that end, chances that come, a wall clock that somebody sets (F07)."""

from __future__ import annotations

from structlog.testing import capture_logs

from tests.builders import Crew
from tests.fakes.prober import HANG
from tests.fakes.runtime import play
from tests.watchdog.decisions.test_desk import ASKING, book
from watchdog.decisions.wishes import BRING_UP


def test_a_pause_to_reconnect_ends_with_fresh_counts() -> None:
    async def film() -> None:
        crew = Crew({"db": {}, "bot": {"depends_on": ["db"]}})
        async with crew.at_work():
            await crew.wait(5)
            crew.runtimes["db"].die(1)
            await crew.until(lambda: crew.card("bot").reconnect is not None)
            pause = crew.card("bot").reconnect
            assert pause is not None
            crew.prober.says["bot"] = "refuse"
            await crew.wait(59)
            assert crew.card("bot").reconnect == pause
            await crew.wait(2)
            assert crew.card("bot").reconnect is None
            assert crew.card("bot").history.streaks.failing <= 1
            assert crew.deeds("bot") == []

    play(film())


def test_a_bot_that_a_person_stopped_is_brought_up_when_the_time_is_over() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            await crew.wait(5)
            await crew.ask("stop", service="bot", for_=600.0)
            await crew.wait(590)
            assert crew.deeds() == ["stop i1"]
            await crew.wait(20)
            assert crew.deeds() == ["stop i1", "start"]
            assert crew.card().runs[-1].playbook == BRING_UP
            assert crew.card().incident is None

    play(film())


def test_f07_what_was_to_come_in_so_many_seconds_still_comes_in_so_many_when_the_clock_is_set() -> None:
    async def film(step: float) -> None:
        crew = Crew(
            {"held": {}, "asks": {}, "db": {}, "bot": {"depends_on": ["db"]}}, books=book(ASKING.replace("[bot]", "[asks]"))
        )
        async with crew.at_work():
            await crew.ask("hold", service="held", for_=600.0)
            crew.prober.says["asks"] = HANG
            await crew.until(lambda: crew.card("asks").approval is not None)
            approval, hold = crew.card("asks").approval, crew.card("held").hold
            assert approval is not None
            assert hold is not None
            with capture_logs():
                crew.clock.step += step
                await crew.wait(15)
            moved, held = crew.card("asks").approval, crew.card("held").hold
            assert moved is not None
            assert held is not None
            assert moved.expires_at == approval.expires_at + step
            assert held.until == hold.until + step
            assert all(runtime.deeds == [] for runtime in crew.runtimes.values())

    for step in (3 * 3600.0, -5 * 3600.0):
        play(film(step))


def test_f07_a_parked_bot_is_not_tried_earlier_because_the_clock_went_forward() -> None:
    async def film() -> None:
        crew = Crew(guards={"settle": "0s", "budget": "1/1h", "proof": "30s"})
        crew.prober.says["bot"] = HANG
        async with crew.at_work():
            await crew.until(lambda: crew.card().parking is not None)
            starts = crew.runtimes["bot"].starts
            with capture_logs():
                crew.clock.step += 2 * 3600.0
                await crew.wait(600)
            assert crew.runtimes["bot"].starts == starts

    play(film())
