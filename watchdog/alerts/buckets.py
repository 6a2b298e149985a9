"""How often we may speak: at most so many in so many seconds, counted over a window that slides (Bot API FAQ). Pure.

Monotonic seconds, so that a clock which somebody sets neither opens nor closes a bucket.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    count: int
    seconds: float


PER_CHAT = (Rate(1, 1.0), Rate(18, 60.0))
"""Telegram allows a group 20 a minute. Others get no more: long messages reach the limits sooner, and no person reads faster."""

PER_BOT = (Rate(25, 1.0),)
"""Telegram allows about 30."""


class Bucket:
    """One chat, or one bot."""

    def __init__(self, rates: tuple[Rate, ...]) -> None:
        self._rates = rates
        self._taken: deque[float] = deque(maxlen=max(rate.count for rate in rates))

    def wait(self, now: float) -> float:
        """Seconds until one more may be sent; 0: now."""
        waits = [self._taken[-rate.count] + rate.seconds - now for rate in self._rates if len(self._taken) >= rate.count]
        return max(0.0, *waits) if waits else 0.0

    def take(self, now: float) -> None:
        self._taken.append(now)
