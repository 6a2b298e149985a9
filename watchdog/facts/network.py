"""Our own way out of this host, asked only when something outside does not answer (SPEC 5, step 1)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from watchdog.clock import Clock

BELIEVED = 5.0
"""Seconds for which an answer is believed, so that many failing checks ask once."""

DEADLINE = 5.0


class OwnNetwork:
    """`decisions/ports.Network` over `connectivity.targets`. reachable: None without targets, which means yes."""

    def __init__(
        self,
        targets: Callable[[], Sequence[str]],
        reachable: Callable[[Sequence[str], float], Awaitable[bool | None]],
        clock: Clock,
    ) -> None:
        self._targets, self._reachable, self._clock = targets, reachable, clock
        self._asking = asyncio.Lock()
        self._at: float | None = None
        self._up = True

    async def up(self) -> bool:
        async with self._asking:
            now = self._clock.monotonic()
            if self._at is None or now - self._at > BELIEVED:
                self._up = await self._reachable(self._targets(), DEADLINE) is not False
                self._at = self._clock.monotonic()
            return self._up
