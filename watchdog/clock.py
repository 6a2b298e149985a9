"""The only place where time comes from. The simulator runs the same code on a loop whose time is virtual."""

from __future__ import annotations

import asyncio
import time


class Clock:
    """Wall seconds since the epoch for records; monotonic seconds of the running loop for durations."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))
