"""The only place where time comes from. The simulator runs the same code on a loop whose time is virtual."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


class Clock:
    """Wall seconds since the epoch for records; monotonic seconds of the running loop for durations."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))


STEP = 5.0
"""Seconds between two readings of wall and monotonic clock that somebody must have made; drift is slower."""


class MindfulClock(Clock):
    """A clock that notices when somebody sets the wall clock, and says so before it tells the new time (F07).

    on_step: called with the seconds by which it was set, and the new wall time.
    """

    def __init__(self, clock: Clock, on_step: Callable[[float, float], None]) -> None:
        self._clock, self._on_step = clock, on_step
        self._offset = clock.now() - clock.monotonic()

    def now(self) -> float:
        now = self._clock.now()
        offset = now - self._clock.monotonic()
        step, self._offset = offset - self._offset, offset
        if abs(step) > STEP:
            self._on_step(step, now)
        return now

    def monotonic(self) -> float:
        return self._clock.monotonic()

    async def sleep(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
