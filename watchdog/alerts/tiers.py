"""How loud an incident is: silent, soft or critical, and why (SPEC 11). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from recovery.units import format_duration
from watchdog.model.incident import Incident, Outcome, Stage, Tier

PROOF_PATIENCE = 60.0
"""Seconds by which a proof with a good answer already in may delay a page by age (SPEC 11)."""


class Limits(Protocol):
    """`alerts.tiers` of the configuration. Seconds, and a count."""

    @property
    def silent_below(self) -> float: ...
    @property
    def critical_after(self) -> float: ...
    @property
    def repeats_per_hour(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Rise:
    """The tier that is due, and the rule that made it so. sound: False for all but a critical one that nobody has seen yet."""

    tier: Tier
    why: str
    sound: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """What a tier depends on beside the incident itself.

    repeats: incidents of this service and symptom in the last hour, this one and self-recovered ones included.
    storm: it stands for a storm that has lasted its 60 s. good: its proof has a good answer in already.
    degraded_pages: `thresholds.degraded_pages` of the service.
    """

    repeats: int = 1
    storm: bool = False
    good: bool = False
    degraded_pages: bool = False


def tier(incident: Incident, limits: Limits, now: float, facts: Facts = Facts()) -> Rise:
    """The tier at `now`: never below the one that it has.

    Ask before an incident is closed and after: a close takes the clock away, and with it what was due by age. A blip and what is
    folded into another incident have no alert of their own and keep what they have.
    """
    due = _due(incident, limits, now, facts)
    if due.tier.rank <= incident.tier.rank:
        why = due.why if due.tier is incident.tier else f"was {incident.tier} before; a tier only rises"
        due = Rise(incident.tier, why)
    return Rise(due.tier, due.why, sound=due.tier is Tier.CRITICAL and not incident.acked)


def next_rise(incident: Incident, limits: Limits, facts: Facts = Facts()) -> float | None:
    """Wall seconds at which the tier rises by time alone; None when it does not, or while the clock stands still."""
    if incident.clock_at is None or not _speaks(incident) or not incident.open:
        return None
    if incident.tier is Tier.SILENT:
        return incident.clock_at + min(limits.silent_below, limits.critical_after)
    if incident.tier is Tier.SOFT and _pages(incident, facts):
        return incident.clock_at + _patience(limits, facts)
    return None


def _due(incident: Incident, limits: Limits, now: float, facts: Facts) -> Rise:
    if not _speaks(incident):
        return Rise(Tier.SILENT, "part of another incident" if incident.parent is not None else "nothing is confirmed")
    loud = _loud(incident, limits, facts)
    if loud is not None:
        return Rise(Tier.CRITICAL, loud)
    if not incident.open:
        if incident.outcome is Outcome.HEALED and not incident.routine:
            return Rise(Tier.SOFT, "healed by an action that is not routine")
        return Rise(Tier.SILENT, "over in time, by routine")
    if incident.clock_at is None:
        return Rise(Tier.SILENT, "the clock stands still while the daemon may not act")
    age = now - incident.clock_at
    if age >= _patience(limits, facts) and _pages(incident, facts):
        return Rise(Tier.CRITICAL, f"not healed in {format_duration(limits.critical_after)}")
    if age >= limits.silent_below:
        return Rise(Tier.SOFT, f"open for {format_duration(limits.silent_below)}")
    return Rise(Tier.SILENT, f"open for less than {format_duration(limits.silent_below)}")


def _loud(incident: Incident, limits: Limits, facts: Facts) -> str | None:
    """What makes it critical at any age."""
    if incident.stage is Stage.PARKED:
        return "parked: nothing more is tried for now"
    if incident.stage is Stage.PERSON:
        return "only a person can help"
    if facts.storm:
        return "a storm lasts"
    if facts.repeats > limits.repeats_per_hour:
        return f"{facts.repeats} times in an hour"
    return None


def _speaks(incident: Incident) -> bool:
    """A blip is counted in the digest only; a blocked or folded incident is told by its root (SPEC 7)."""
    return not incident.blip and incident.parent is None and incident.stage is not Stage.BLOCKED


def _pages(incident: Incident, facts: Facts) -> bool:
    return incident.symptom != "degraded" or facts.degraded_pages


def _patience(limits: Limits, facts: Facts) -> float:
    return limits.critical_after + (PROOF_PATIENCE if facts.good else 0.0)
