"""When which service is asked: in ticks of 100 ms, each at a stable slot of its own in the interval (SPEC 2)."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from heapq import heapify, heappop, heappush, heapreplace
from math import ceil, inf
from typing import Protocol

TICK = 0.1
"""Seconds."""

_FIRST_PER_SECOND = 1000
"""How many services the first round asks per second: all within one second in a small fleet, no stall in a large one."""

_PULL = 0.1
"""Share of the interval by which a check may come earlier than its interval, on its way back to its slot."""


class Timed(Protocol):
    """interval: seconds from one check to the next."""

    @property
    def interval(self) -> float: ...


class Rounds:
    """The schedule of all services. All times are monotonic seconds.

    Every service is asked at once after `set` (first round), then moves to the slot that the hash of its name gives it: no gap is
    ever longer than its interval. Missed slots are skipped, so after a gap of the clock each is asked once. With `spread` False,
    as in the simulator, checks are at 0 s and then at each interval exactly.
    """

    def __init__(self, *, spread: bool = True) -> None:
        self._origin: float | None = None
        self._spread = spread
        self._every: dict[str, int] = {}
        self._offset: dict[str, int] = {}
        self._slot: dict[str, int] = {}
        self._extra: dict[str, int] = {}
        self._heap: list[tuple[int, str]] = []

    def set(self, services: Mapping[str, Timed], now: float) -> None:
        """The services to be asked from now on. Those whose interval stays keep their slots."""
        if self._origin is None:
            self._origin = now
        for name in [name for name in self._every if name not in services]:
            del self._every[name], self._offset[name], self._slot[name]
            self._extra.pop(name, None)
        tick = self._tick(now)
        new = [name for name in services if name not in self._every]
        window = max(1 / TICK, len(new) / _FIRST_PER_SECOND / TICK) if self._spread else 1
        for name in new:
            self._slot[name] = tick + int(_share(name) * window)
        for name, service in services.items():
            every = max(1, int(service.interval / TICK + 1e-6))
            if self._every.get(name, every) != every:
                self._slot[name] = min(self._slot[name], tick + every)
            self._every[name] = every
            self._offset[name] = int(_share(name) * every) if self._spread else 0
        self._heap = [(due, name) for due, name in ((self._due(name), name) for name in self._every)]
        heapify(self._heap)

    def soon(self, name: str, at: float) -> None:
        """Ask it once more at `at`, unless its next check is sooner. Its slot stays."""
        tick = ceil((at - (self._origin or 0.0)) / TICK - 1e-6)
        if name in self._slot and tick < self._due(name):
            self._extra[name] = tick
            heappush(self._heap, (tick, name))

    def due(self, now: float) -> list[str]:
        """The services to be asked now; each counts as asked with that."""
        tick, names = self._tick(now), []
        heap, slots, extras = self._heap, self._slot, self._extra
        while heap and heap[0][0] <= tick:
            due, name = heap[0]
            slot = slots.get(name)
            if slot is None or due != min(slot, extras.get(name, slot)):
                heappop(heap)  # removed, or moved meanwhile
                continue
            if extras:
                extras.pop(name, None)
            if slot <= tick:
                slot = slots[name] = self._next(name, tick)
            heapreplace(heap, (slot, name))
            names.append(name)
        return names

    def next_due(self) -> float:
        """When the next service is due; infinite without services."""
        heap = self._heap
        while heap and (heap[0][1] not in self._slot or heap[0][0] != self._due(heap[0][1])):
            heappop(heap)
        return (self._origin or 0.0) + heap[0][0] * TICK if heap else inf

    def _tick(self, now: float) -> int:
        return int((now - (self._origin or 0.0)) / TICK + 1e-6)

    def _due(self, name: str) -> int:
        return min(self._slot[name], self._extra.get(name, self._slot[name]))

    def _next(self, name: str, asked: int) -> int:
        """The tick after `asked`: one interval later, or a little earlier to come nearer to its slot."""
        every = self._every[name]
        ahead = (asked + every - self._offset[name]) % every
        if not self._spread:
            return asked + every - ahead
        return asked + every - min(ahead, max(1, int(every * _PULL)), every - 1)


def _share(name: str) -> float:
    """A stable number in [0, 1) for a name."""
    return int.from_bytes(blake2b(name.encode(), digest_size=4).digest()) / 2**32
