"""When each service is asked: ticks of 100 ms, spread over the interval by a stable hash of its name (SPEC 2, 16). Pure.

Time is monotonic seconds, handed in. A slot that was missed (a suspended host) is skipped: nobody is asked twice to catch up.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from math import ceil
from zlib import crc32

from watchdog.config.schema import TICK, Service

FIRST_WITHIN = 0.9
"""Seconds from the begin within which everybody is asked for the first time (SPEC 16: the first round begins within 1 s)."""


class Rounds:
    """A heap of due times. spread=False: all are asked at the begin and then each interval exactly, as scenarios want it."""

    def __init__(self, *, spread: bool = True) -> None:
        self._spread = spread
        self._begun: float | None = None
        self._interval: dict[str, float] = {}
        self._due: dict[str, float] = {}
        self._heap: list[tuple[float, str]] = []

    def set(self, services: Mapping[str, Service], now: float) -> None:
        """The services from now on. Who was known keeps its turn unless its interval changed; who is new is asked soon."""
        if self._begun is None:
            self._begun = now
        for name in self._interval.keys() - services.keys():
            del self._interval[name], self._due[name]
        for name, service in services.items():
            if self._interval.get(name) != service.interval:
                self._interval[name] = service.interval
                self._due[name] = now + (_share(name) * min(FIRST_WITHIN, service.interval) if self._spread else 0.0)
        self._heap = [(due, name) for name, due in self._due.items()]
        heapify(self._heap)

    def due(self, now: float) -> list[str]:
        """Who is to be asked in this tick; each has its next turn after `now`."""
        found = []
        while self._heap and self._heap[0][0] <= now + 1e-9:
            at, name = heappop(self._heap)
            if self._due.get(name) != at:
                continue
            found.append(name)
            self._plan(name, self._turn_after(name, now))
        return found

    def next_due(self) -> float:
        """Monotonic seconds of the next turn of anybody; infinity without services."""
        while self._heap and self._due.get(self._heap[0][1]) != self._heap[0][0]:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else float("inf")

    def soon(self, name: str, at: float) -> None:
        """Ask this service at `at`, or at its turn if that is sooner. The turns after it stay where they were."""
        due = self._due.get(name)
        if due is not None and at < due:
            self._plan(name, at)

    def _plan(self, name: str, at: float) -> None:
        self._due[name] = at
        heappush(self._heap, (at, name))

    def _turn_after(self, name: str, now: float) -> float:
        """The first slot of this service that lies after `now`, on the grid of ticks."""
        begun, interval = self._begun or 0.0, self._interval[name]
        slot = begun + (_share(name) * interval if self._spread else 0.0)
        turn = slot + (int((now - slot) // interval) + 1) * interval
        return begun + ceil((turn - begun) / TICK - 1e-6) * TICK


def _share(name: str) -> float:
    """0 to 1, the same in every process."""
    return crc32(name.encode()) / 2**32
