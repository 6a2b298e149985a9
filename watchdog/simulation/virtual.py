"""Time that passes only when nobody has anything to do: a loop that jumps to its next timer, and a clock that reads it."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

from watchdog.clock import Clock

T = TypeVar("T")


class DeadlockError(RuntimeError):
    """Nothing is ready and no timer is set: every task waits for another one."""


class _Jump(selectors.BaseSelector):
    """Never waits and never polls: in the simulator nothing comes from outside, so waiting means moving the time."""

    def __init__(self) -> None:
        self.elapsed = 0.0
        self._keys: dict[int, selectors.SelectorKey] = {}

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise DeadlockError(f"nothing can happen any more after {self.elapsed:.3f} s of virtual time")
        if timeout > 0:
            self.elapsed += timeout
        return []

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        number = fileobj if isinstance(fileobj, int) else int(fileobj.fileno())
        key = selectors.SelectorKey(fileobj, number, events, data)
        self._keys[number] = key
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._keys.pop(fileobj if isinstance(fileobj, int) else int(fileobj.fileno()))

    def get_map(self) -> dict[int, selectors.SelectorKey]:  # type: ignore[override]
        return self._keys


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose `time()` begins at 0.0 and stands still while anything is ready.

    The same tasks in the same order give the same times in each run. Raises DeadlockError where a real loop would wait for ever.
    """

    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)

    def time(self) -> float:
        return self._jump.elapsed


class VirtualClock(Clock):
    """The product's clock on a virtual loop. A step moves the wall clock only, as an administrator or NTP would."""

    def __init__(self, start: float, loop: asyncio.AbstractEventLoop) -> None:
        """start: wall seconds since the epoch at loop time 0."""
        self._start = start
        self._loop = loop
        self._offset = 0.0
        self._steps: list[tuple[float, float]] = [(0.0, 0.0)]

    def now(self) -> float:
        return self._start + self._loop.time() + self._offset

    def monotonic(self) -> float:
        return self._loop.time()

    def step(self, seconds: float) -> None:
        """Move the wall clock by so many seconds, forward or (negative) back."""
        self._offset += seconds
        self._steps.append((self._loop.time(), self._offset))

    def elapsed(self, wall: float) -> float:
        """Seconds since the start of the scenario at which the wall clock showed `wall`; of several moments the last one."""
        until = self._loop.time()
        for since, offset in reversed(self._steps):
            moment = wall - self._start - offset
            if since - 1e-6 <= moment <= until + 1e-6:
                return max(0.0, moment)
            until = since
        # A moment before the start (a process that runs since yesterday), or one that the clock jumped over.
        return max(0.0, min(wall - self._start, self._loop.time())) if len(self._steps) == 1 else self._loop.time()


def run(main: Coroutine[Any, Any, T], loop: VirtualLoop) -> T:
    """Run `main` to its end in virtual time on a loop of its own, which is closed afterwards."""
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(main)
