"""When the share of errors among recent calls is too high: the window rule of a circuit breaker (SPEC 5, "Circuit breakers")."""

from __future__ import annotations

from collections import deque

SPAN = 60.0
"""Seconds that the window looks back."""

AT_LEAST = 5
"""Calls in the window below which a share says nothing."""

SHARE = 0.5
"""Errors above this share of the calls are too many; exactly this share is not."""

_SLOTS_PER_SECOND = 10


def too_many_errors(calls: int, errors: int) -> bool:
    """More than half of at least five calls failed."""
    return calls >= AT_LEAST and errors > calls * SHARE


class Window:
    """Counts of calls and errors of the last `span` seconds, in slots of 0.1 s, so that its size has a limit.

    Every `now` is in monotonic seconds and handed in.
    """

    __slots__ = ("_slots", "_span")

    def __init__(self, span: float = SPAN) -> None:
        self._span = span
        self._slots: deque[list[int]] = deque()

    def add(self, now: float, *, error: bool) -> None:
        """One call whose outcome is known at `now`."""
        slot = int(now * _SLOTS_PER_SECOND)
        if not self._slots or self._slots[-1][0] != slot:
            self._slots.append([slot, 0, 0])
        self._slots[-1][1] += 1
        self._slots[-1][2] += error
        self._forget(now)

    def counts(self, now: float) -> tuple[int, int]:
        """(calls, errors) of the last `span` seconds."""
        self._forget(now)
        return sum(slot[1] for slot in self._slots), sum(slot[2] for slot in self._slots)

    def clear(self) -> None:
        self._slots.clear()

    def _forget(self, now: float) -> None:
        first = int((now - self._span) * _SLOTS_PER_SECOND)
        while self._slots and self._slots[0][0] < first:
            self._slots.popleft()
