"""Five-minute sums of checks, kept in memory and handed out about once a minute (SPEC 16: at most 10 us per check in all)."""

from __future__ import annotations

from watchdog.model.records import Rollup

BUCKET = 300
"""Seconds of one bucket; buckets begin at multiples of it since the epoch."""
EVERY = 60.0
"""Seconds between two flushes: what a crash may lose."""


class Rollups:
    """Adds up what was checked since the last flush. The store adds what it is given to what it has: a flush says what is new."""

    __slots__ = ("_every", "_finished", "_last", "_open")

    def __init__(self, every: float = EVERY) -> None:
        self._every = every
        self._open: dict[str, _Bucket] = {}
        self._finished: list[Rollup] = []
        self._last: float | None = None

    def add(self, service: str, at: float, bad: bool, latency: float | None) -> None:
        """One check whose outcome was known at `at` (wall seconds). latency: seconds, None when there was no answer."""
        bucket = self._open.get(service)
        if bucket is None or not bucket.at <= at < bucket.end:
            bucket = self._turn(service, at)
        bucket.checks += 1
        if bad:
            bucket.bad += 1
        if latency is not None:
            bucket.total += latency
            if latency > bucket.peak:  # noqa: PLR1730  (max() costs a call, and this runs for every check)
                bucket.peak = latency

    def flush(self, now: float, *, force: bool = False) -> list[Rollup]:
        """What is new since the last flush, empty until a minute has passed since then. Call it as often as you like.

        force: now in any case, for a stop. A clock that stepped back makes it due too.
        """
        if self._last is None:
            self._last = now
        if not force and 0 <= now - self._last < self._every:
            return []
        self._last = now
        flushed = self._finished + [bucket.rollup(service) for service, bucket in self._open.items()]
        self._open, self._finished = {}, []
        return flushed

    def _turn(self, service: str, at: float) -> _Bucket:
        """A new bucket; the one before it, if any, is finished."""
        old = self._open.get(service)
        if old is not None:
            self._finished.append(old.rollup(service))
        bucket = self._open[service] = _Bucket(int(at // BUCKET) * BUCKET)
        return bucket


class _Bucket:
    __slots__ = ("at", "bad", "checks", "end", "peak", "total")

    def __init__(self, at: int) -> None:
        self.at = at
        self.end = at + BUCKET
        self.checks = 0
        self.bad = 0
        self.total = 0.0
        self.peak = 0.0

    def rollup(self, service: str) -> Rollup:
        return Rollup(service, self.at, self.checks, self.bad, self.total, self.peak)
