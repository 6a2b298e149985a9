"""What every client is given, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Load:
    """count targets, each asked once per interval in ticks of 100 ms, for `length` seconds; every `every`-th is hung (0: none).

    settles: how long that went on before the measuring begins, so that as many questions end as begin. All in seconds.
    healthy, hung: ports on 127.0.0.1. limit: how long one question may take.
    """

    count: int
    interval: float
    length: float
    limit: float
    healthy: tuple[int, ...]
    hung: tuple[int, ...]
    every: int = 0
    settles: float = 0.0

    def is_hung(self, number: int) -> bool:
        return bool(self.every) and number % self.every == 0

    def url(self, number: int) -> str:
        ports = self.hung if self.is_hung(number) else self.healthy
        return f"http://127.0.0.1:{ports[number % len(ports)]}/health"


@dataclass(slots=True)
class Measured:
    """asked: questions begun. good: healthy answers. wrong: healthy targets not found healthy. cpu: seconds, user + system.

    latencies: seconds, healthy targets only. stall: the longest that the loop kept a tick waiting. rss: bytes at the end.
    """

    asked: int = 0
    good: int = 0
    wrong: int = 0
    cpu: float = 0.0
    rss: int = 0
    stall: float = 0.0
    latencies: list[float] = field(default_factory=list)

    @property
    def per_probe(self) -> float:
        """Microseconds of CPU."""
        return self.cpu / self.asked * 1e6 if self.asked else 0.0

    def percentile(self, share: float) -> float:
        """Seconds."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0
