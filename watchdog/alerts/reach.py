"""Whether people are reached: what `status`, its `--check` and systemd's line tell of the outbox. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from watchdog.model.incident import Tier
from watchdog.model.records import Notice

PATIENCE = 300.0
"""Seconds for which a critical message may wait before somebody who looks is told that people are not reached."""


@dataclass(frozen=True, slots=True)
class Reach:
    """waiting: notices that nobody has yet. critical: those of them that are. oldest: wall seconds of the first critical one.

    closed: by address, why nothing can be sent there, in Telegram's own words.
    """

    waiting: int = 0
    critical: int = 0
    oldest: float | None = None
    closed: Mapping[str, str] = field(default_factory=dict)

    def late(self, now: float) -> float:
        """Seconds for which a critical message has waited beyond patience; 0 when none has."""
        age = now - self.oldest if self.oldest is not None else 0.0
        return age if age > PATIENCE else 0.0


def reach(undelivered: Iterable[Notice], closed: Mapping[str, str]) -> Reach:
    """closed: by address; an empty text is an open one."""
    notices = tuple(undelivered)
    critical = [each.at for each in notices if each.tier is Tier.CRITICAL]
    shut = {address: why for address, why in closed.items() if why}
    return Reach(len(notices), len(critical), min(critical, default=None), shut)
