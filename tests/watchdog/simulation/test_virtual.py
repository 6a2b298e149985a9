"""Virtual time: a day passes in milliseconds, in the same order each time."""

from __future__ import annotations

import asyncio
import time

import pytest

from watchdog.simulation.virtual import DeadlockError, VirtualClock, VirtualLoop, run

MORNING = 1_772_000_000.0


def test_a_day_of_sleep_takes_no_real_time() -> None:
    loop = VirtualLoop()
    clock = VirtualClock(MORNING, loop)

    async def day() -> float:
        await clock.sleep(86_400)
        return clock.now()

    began = time.perf_counter()
    assert run(day(), loop) == pytest.approx(MORNING + 86_400)
    assert time.perf_counter() - began < 1.0


def test_timers_fire_in_their_order_and_at_their_time() -> None:
    loop = VirtualLoop()
    clock = VirtualClock(0.0, loop)
    seen: list[tuple[str, float]] = []

    async def after(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        seen.append((name, clock.monotonic()))

    async def film() -> None:
        await asyncio.gather(after("late", 3.0), after("early", 1.0), after("between", 2.0))

    run(film(), loop)
    assert seen == [("early", 1.0), ("between", 2.0), ("late", 3.0)]


def test_a_deadline_ends_a_hang_in_virtual_time() -> None:
    loop = VirtualLoop()
    clock = VirtualClock(0.0, loop)

    async def film() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(29.9):
                await asyncio.Event().wait()
        return clock.monotonic()

    assert run(film(), loop) == pytest.approx(29.9)


def test_when_every_task_waits_for_another_it_says_so_instead_of_hanging() -> None:
    async def forever() -> None:
        await asyncio.Event().wait()

    with pytest.raises(DeadlockError, match="nothing can happen"):
        run(forever(), VirtualLoop())


def test_a_clock_step_moves_the_wall_and_not_the_durations() -> None:
    loop = VirtualLoop()
    clock = VirtualClock(MORNING, loop)

    async def film() -> None:
        await clock.sleep(10)
        clock.step(3 * 3600)
        assert clock.now() == pytest.approx(MORNING + 10 + 3 * 3600)
        assert clock.monotonic() == pytest.approx(10)
        await clock.sleep(5)
        assert clock.elapsed(MORNING + 4) == pytest.approx(4)
        assert clock.elapsed(clock.now()) == pytest.approx(15)
        clock.step(-3 * 3600)
        await clock.sleep(1)
        assert clock.now() == pytest.approx(MORNING + 16)
        assert clock.elapsed(clock.now()) == pytest.approx(16)

    run(film(), loop)
