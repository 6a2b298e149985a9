"""Tasks with a name, a strong reference and an owner: nothing dies unseen (SPEC 15)."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Coroutine
from typing import Any

import structlog

from watchdog.clock import Clock

RESTARTS, WINDOW = 5, 300.0
"""Failures of one loop within so many seconds that are told to a person."""

PAUSE = 1.0
"""Seconds before a loop that failed is begun again."""

_log = structlog.get_logger(__name__)


def _nobody(_text: str) -> None:
    """Nobody listens yet."""


class Tasks:
    """spawn: work that ends. keep: a loop that must not fail; it is begun again, counted and reported when it does.

    failures: by name. on_alarm: called when a loop fails more often than RESTARTS in WINDOW.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._running: set[asyncio.Task[None]] = set()
        self.failures: Counter[str] = Counter()
        self.on_alarm: Callable[[str], None] = _nobody

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            kind = task.get_name().partition(":")[0]
            self.failures[kind] += 1
            _log.error("task_failed", task=task.get_name(), exc_info=error)

    async def keep(self, loop: Callable[[], Coroutine[Any, Any, None]], name: str, *, ends: bool = False) -> None:
        """Runs for ever, or until it ends by itself when that is meant. The failure of one loop never costs the others."""
        lately: deque[float] = deque(maxlen=RESTARTS)
        while True:
            try:
                await loop()
            except Exception as error:  # noqa: BLE001 - whatever it is, the loop must live
                self.failures[name] += 1
                _log.error("loop_failed", loop=name, times=self.failures[name], exc_info=error)
                now = self._clock.monotonic()
                if len(lately) == RESTARTS and now - lately[0] <= WINDOW:
                    lately.clear()
                    self.on_alarm(f"the loop '{name}' of the watchdog itself keeps failing: {type(error).__name__}: {error}")
                lately.append(now)
            else:
                if ends:
                    return
            await self._clock.sleep(PAUSE)

    async def cancel(self) -> None:
        """Ends all that runs; an open step stays journalled as open."""
        for task in tuple(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
