"""F10: a loop that fails is begun again, counted, and told to a person when it keeps failing; it never costs the others."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

from structlog.testing import capture_logs

from tests.builders import Crew
from tests.fakes.runtime import FakeClock, play
from watchdog.model.incident import Tier
from watchdog.tasks import PAUSE, RESTARTS, Tasks


class Loop:
    """Fails as often as it is told to, then waits for ever. begun: when it was."""

    def __init__(self, clock: FakeClock, fails: int, lives: float = 0.0) -> None:
        self.clock, self.fails, self.lives = clock, fails, lives
        self.begun: list[float] = []

    async def run(self) -> None:
        self.begun.append(self.clock.monotonic())
        await self.clock.sleep(self.lives)
        if len(self.begun) <= self.fails:
            raise RuntimeError("boom")
        await asyncio.Event().wait()


async def kept(tasks: Tasks, loop: Loop, seconds: float) -> None:
    task = asyncio.create_task(tasks.keep(loop.run, "loop"))
    await loop.clock.sleep(seconds)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def test_a_loop_that_fails_is_begun_again_after_a_pause_and_counted() -> None:
    async def film() -> None:
        clock = FakeClock()
        tasks, loop = Tasks(clock), Loop(clock, fails=2)
        with capture_logs() as said:
            await kept(tasks, loop, 60.0)
        assert loop.begun == [0.0, PAUSE, 2 * PAUSE]
        assert tasks.failures == {"loop": 2}
        assert [(each["event"], each["loop"], each["times"]) for each in said] == [("loop_failed", "loop", n) for n in (1, 2)]

    play(film())


def test_a_loop_that_keeps_failing_is_told_to_a_person_and_goes_on() -> None:
    async def film() -> None:
        clock, alarms = FakeClock(), list[str]()
        tasks, loop = Tasks(clock), Loop(clock, fails=RESTARTS + 1)
        tasks.on_alarm = alarms.append
        with capture_logs():
            await kept(tasks, loop, 60.0)
        assert alarms == ["the loop 'loop' of the watchdog itself keeps failing: RuntimeError: boom"]
        assert len(loop.begun) == RESTARTS + 2

    play(film())


def test_a_failure_now_and_then_alarms_nobody() -> None:
    async def film() -> None:
        clock, alarms = FakeClock(), list[str]()
        tasks, loop = Tasks(clock), Loop(clock, fails=50, lives=100.0)
        tasks.on_alarm = alarms.append
        with capture_logs():
            await kept(tasks, loop, 3600.0)
        assert alarms == []
        assert tasks.failures["loop"] > RESTARTS

    play(film())


def test_a_loop_that_simply_returns_is_begun_again_too() -> None:
    async def film() -> None:
        clock, begun = FakeClock(), list[float]()
        tasks = Tasks(clock)

        async def returns() -> None:
            begun.append(clock.monotonic())

        task = asyncio.create_task(tasks.keep(returns, "loop"))
        await clock.sleep(3.5)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert begun == [0.0, 1.0, 2.0, 3.0]

    play(film())


def test_spawned_work_is_held_on_to_while_it_runs_and_its_failure_is_seen() -> None:
    async def film() -> None:
        clock, done = FakeClock(), list[str]()
        tasks = Tasks(clock)

        async def works() -> None:
            await clock.sleep(1.0)
            done.append("works")

        async def fails() -> None:
            raise ValueError("a bug")

        with capture_logs() as said:
            tasks.spawn(works(), "check:a")
            tasks.spawn(fails(), "check:b")
            gc.collect()
            await clock.sleep(2.0)
        assert done == ["works"]
        assert tasks.failures == {"check": 1}
        assert [(each["event"], each["task"]) for each in said] == [("task_failed", "check:b")]

    play(film())


def test_cancel_ends_everything_that_runs() -> None:
    async def film() -> None:
        clock, ended = FakeClock(), list[str]()
        tasks = Tasks(clock)

        async def works() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("works")

        tasks.spawn(works(), "run:a")
        await clock.sleep(0.0)
        await tasks.cancel()
        assert ended == ["works"]

    play(film())


def test_a_core_loop_that_fails_for_ever_costs_neither_the_post_nor_the_store_and_is_a_page() -> None:
    """A card that raises when it is looked at: the worst bug that the core could have."""

    async def film() -> None:
        crew = Crew()
        async with crew.at_work(broken=True):
            await crew.wait(5)
            poison: Any = Poison()
            crew.app.fleet.cards["poison"] = poison
            crew.app.fleet.rouse(poison)
            with capture_logs():
                await crew.wait(80)
            assert crew.app.tasks.failures["loop"] >= RESTARTS
            assert len(crew.prober.times("bot")) == 3, "checks go on at 0, 30 and 60 s"
            assert [text for text in crew.told(Tier.CRITICAL) if "the loop 'loop' of the watchdog itself keeps failing" in text]
            asked = len(crew.prober.asked)
            del crew.app.fleet.cards["poison"]
            crew.app.fleet.let_sleep("poison")
            await crew.wait(60)
            assert len(crew.prober.asked) > asked

    play(film())


class Poison:
    """No card at all."""

    name = "poison"
    busy = True


def test_a_loop_that_may_end_is_begun_again_after_a_failure_and_not_after_its_end() -> None:
    async def film() -> None:
        tasks, begun = Tasks(FakeClock()), list[int]()

        async def loop() -> None:
            begun.append(len(begun))
            if len(begun) == 1:
                raise OSError("a fault of ours")

        await tasks.keep(loop, "follower", ends=True)
        assert begun == [0, 1]
        assert tasks.failures == {"follower": 1}

    play(film())
