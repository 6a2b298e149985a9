"""Which events of an engine are news: it repeats some after a gap, and somebody may set the clock that stamps them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from watchdog.model.container import Act, Happening

REMEMBERED = 512
"""Events that are not taken again: twice what an engine can repeat."""

OVERLAP = 2_000_000_000
"""Nanoseconds before the last event of an earlier life of the daemon in which it may have taken others."""


@dataclass(slots=True)
class Ear:
    """What was heard from one engine. seen: time stamp of the newest event, nanoseconds. before: of an earlier life of ours.

    taken: the last events themselves, for after the clock was set back newer ones bear older stamps.
    """

    seen: int
    before: int = 0
    taken: deque[tuple[int, Act, str]] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def is_new(self, seen: Happening) -> bool:
        """True once for each event."""
        key = (seen.nano, seen.act, seen.container)
        if key in self.taken or 0 <= self.before - seen.nano < OVERLAP:
            return False
        self.taken.append(key)
        self.seen = seen.nano
        return True
