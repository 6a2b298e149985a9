"""How a run is called back."""

from __future__ import annotations

import asyncio

from recovery.ports import Stop
from tests.fakes.runtime import later, play
from watchdog.decisions.leash import Leash


def test_the_first_order_stands() -> None:
    leash = Leash()
    assert (leash.order, leash.why) == (None, "")
    leash.call(Stop.BY_HAND, "somebody stopped it")
    leash.call(Stop.CANCEL, "Docker does not answer")
    assert (leash.order, leash.why) == (Stop.BY_HAND, "somebody stopped it")


def test_who_waits_is_woken_by_the_order_and_a_late_one_does_not_wait() -> None:
    async def film() -> None:
        leash = Leash()
        later(5.0, leash.call, Stop.HOLD, "on hold by anna")
        began = asyncio.get_running_loop().time()
        await leash.wait()
        assert asyncio.get_running_loop().time() - began == 5.0
        await leash.wait()
        assert asyncio.get_running_loop().time() - began == 5.0

    play(film())
