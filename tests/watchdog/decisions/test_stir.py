from __future__ import annotations

import asyncio

from tests.fakes.runtime import FakeClock, play
from watchdog.decisions.stir import Stir


def test_it_waits_for_its_time_and_that_is_no_exception() -> None:
    async def film() -> None:
        stir, clock = Stir(), FakeClock()
        await stir.wait(5.0)
        assert clock.monotonic() == 5.0
        assert not stir.take()

    play(film())


def test_whoever_waits_is_woken_at_once() -> None:
    async def film() -> None:
        stir, clock = Stir(), FakeClock()
        asyncio.get_running_loop().call_later(1.0, stir.set)
        await stir.wait(60.0)
        assert clock.monotonic() == 1.0
        assert stir.take()
        assert not stir.take()

    play(film())


def test_what_was_set_before_is_not_slept_through() -> None:
    async def film() -> None:
        stir, clock = Stir(), FakeClock()
        stir.set()
        stir.set()
        await stir.wait(60.0)
        assert clock.monotonic() == 0.0
        assert stir.take()
        await stir.wait(2.0)
        assert clock.monotonic() == 2.0

    play(film())


def test_a_wait_that_is_cancelled_leaves_nothing_behind() -> None:
    async def film() -> None:
        stir, clock = Stir(), FakeClock()
        waiting = asyncio.create_task(stir.wait(60.0))
        await clock.sleep(1.0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        stir.set()
        assert stir.take()

    play(film())
