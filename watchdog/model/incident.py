"""An incident: from the first failed check to the proof of health, or to a person (SPEC 7)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Stage(StrEnum):
    """The state of an incident."""

    OPEN = "open"
    CONFIRMED = "confirmed"
    BLOCKED = "blocked"
    WAITING = "waiting"
    HEALING = "healing"
    PARKED = "parked"
    PERSON = "waiting_for_person"
    CLOSED = "closed"


class Outcome(StrEnum):
    HEALED = "healed"
    SELF_RECOVERED = "self_recovered"
    ESCALATED = "escalated"
    IGNORED = "ignored"
    REMOVED = "removed"


class Tier(StrEnum):
    SILENT = "silent"
    SOFT = "soft"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        return ("silent", "soft", "critical").index(self.value)


@dataclass(frozen=True, slots=True)
class Incident:
    """All times wall seconds since the epoch.

    reason: one line, why it is in this stage. symptom: the one treated; joined: others seen meanwhile.
    cause: what it was found to come from, in words. blocked_by: a service. parent: the incident it is folded into.
    clock_at: where the clock of the tier runs from; None while it stands still (SPEC 11).
    relapses: how often it opened again. bad_before: seconds of the bad stretches before the last relapse.
    routine: False once a non-routine action was used. blip: closed before a symptom was confirmed.
    """

    id: int
    service: str
    stage: Stage
    opened_at: float
    reason: str = ""
    symptom: str | None = None
    joined: tuple[str, ...] = ()
    cause: str = ""
    blocked_by: str | None = None
    parent: int | None = None
    confirmed_at: float | None = None
    closed_at: float | None = None
    outcome: Outcome | None = None
    tier: Tier = Tier.SILENT
    clock_at: float | None = None
    run: int | None = None
    routine: bool = True
    acked: bool = False
    false_alarm: bool = False
    relapses: int = 0
    reopened_at: float | None = None
    bad_before: float = 0.0
    reminded_at: float | None = None

    @property
    def open(self) -> bool:
        return self.stage is not Stage.CLOSED

    @property
    def began(self) -> float:
        """Of this stretch: what came back counts from its return, as people are told."""
        return self.reopened_at if self.reopened_at is not None else self.opened_at

    @property
    def blip(self) -> bool:
        return self.confirmed_at is None

    def duration(self, now: float) -> float:
        """Seconds of bad stretches, from the first failed check to proof, close or `now` (SPEC 7)."""
        return self.bad_before + max(0.0, (self.closed_at if self.closed_at is not None else now) - self.began)
