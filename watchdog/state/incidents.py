"""The life of an incident as pure steps from one frozen value to the next (SPEC 7)."""

from __future__ import annotations

from dataclasses import replace

from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.symptom import Symptom

RELAPSE_WITHIN = 600.0
"""Seconds after a close in which a confirmed bad service opens the same incident again (SPEC 7)."""


def opened(number: int, service: str, at: float, reason: str) -> Incident:
    """The first failed check, bad status or exit."""
    return Incident(number, service, Stage.OPEN, at, reason=reason, clock_at=at)


def confirmed(incident: Incident, symptom: Symptom, now: float) -> Incident:
    """A symptom was confirmed, or another one leads now, and the earlier stay joined. From here on it has a life of its own."""
    joined = incident.joined
    if incident.symptom and incident.symptom != symptom.name and incident.symptom not in joined:
        joined = (*joined, incident.symptom)
    own = incident.stage is Stage.OPEN
    stage = Stage.CONFIRMED if own else incident.stage
    return replace(
        incident,
        stage=stage,
        parent=None if own else incident.parent,
        symptom=symptom.name,
        joined=tuple(name for name in joined if name != symptom.name),
        reason=symptom.text if stage is Stage.CONFIRMED else incident.reason,
        opened_at=min(incident.opened_at, symptom.since) if symptom.name == "crash_loop" else incident.opened_at,
        confirmed_at=incident.confirmed_at if incident.confirmed_at is not None else now,
    )


def again(incident: Incident, reason: str, now: float) -> Incident:
    """Back to confirmed: a run ended without proof, or a wait is over."""
    return _to(incident, Stage.CONFIRMED, reason, now)


def reconfirm(incident: Incident, reason: str, now: float) -> Incident:
    """What hindered it is gone: fresh counts must confirm it anew. Until then it stays folded into what explained it."""
    return replace(_to(incident, Stage.OPEN, reason, now), parent=incident.parent)


def blocked(incident: Incident, by: str, parent: int | None, reason: str, now: float) -> Incident:
    """Folded into the incident of its root cause: no alert of its own, its clock stands still."""
    return replace(_to(incident, Stage.BLOCKED, reason, now), blocked_by=by, parent=parent, clock_at=None)


def waiting(incident: Incident, reason: str, now: float, *, clock_runs: bool) -> Incident:
    """Nothing is done now. `clock_runs` is False while the daemon may not act (operator, hold, outage, storm)."""
    incident = _to(incident, Stage.WAITING, reason, now)
    return incident if clock_runs else replace(incident, clock_at=None)


def healing(incident: Incident, run: int, reason: str, now: float, *, routine: bool, folded: bool = False) -> Incident:
    """A run has begun. folded: it only follows its root (restart_with) and stays a member of that incident."""
    after = _to(incident, Stage.HEALING, reason, now)
    parent = incident.parent if folded else None
    return replace(after, run=run, routine=incident.routine and routine, parent=parent)


def parked(incident: Incident, reason: str, now: float) -> Incident:
    """The budget is spent: no more actions until re-armed."""
    return replace(_to(incident, Stage.PARKED, reason, now), outcome=Outcome.ESCALATED)


def person(incident: Incident, reason: str, now: float) -> Incident:
    """Given to a person: one alert, a daily reminder, no actions."""
    return replace(_to(incident, Stage.PERSON, reason, now), outcome=Outcome.ESCALATED, reminded_at=now)


def closed(incident: Incident, outcome: Outcome, reason: str, now: float) -> Incident:
    """The end. What was given to a person stays `escalated` unless a run healed it."""
    if incident.outcome is Outcome.ESCALATED and outcome is Outcome.SELF_RECOVERED:
        outcome = Outcome.ESCALATED
    return replace(incident, stage=Stage.CLOSED, outcome=outcome, reason=reason, closed_at=now, clock_at=None, run=None)


def relapsed(incident: Incident, symptom: Symptom, since: float, now: float) -> Incident:
    """Confirmed bad again soon after the close: the same incident, clock and tier begin anew, the bad stretches add up."""
    return replace(
        incident,
        stage=Stage.CONFIRMED,
        reason=symptom.text,
        symptom=symptom.name,
        outcome=None,
        tier=Tier.SILENT,
        clock_at=since,
        bad_before=incident.duration(now),
        reopened_at=since,
        closed_at=None,
        confirmed_at=now,
        relapses=incident.relapses + 1,
        acked=False,
        parent=None,
        blocked_by=None,
    )


def shifted(incident: Incident, seconds: float) -> Incident:
    """After the wall clock was set: every moment moves with it."""

    def moved(at: float | None) -> float | None:
        return None if at is None else at + seconds

    return replace(
        incident,
        opened_at=incident.opened_at + seconds,
        confirmed_at=moved(incident.confirmed_at),
        closed_at=moved(incident.closed_at),
        clock_at=moved(incident.clock_at),
        reopened_at=moved(incident.reopened_at),
        reminded_at=moved(incident.reminded_at),
    )


def can_relapse(incident: Incident | None, now: float) -> bool:
    """True for a listed incident that closed a short time ago on its own."""
    return (
        incident is not None
        and incident.closed_at is not None
        and not incident.blip
        and incident.parent is None
        and incident.outcome in {Outcome.HEALED, Outcome.SELF_RECOVERED, Outcome.ESCALATED}
        and now - incident.closed_at <= RELAPSE_WITHIN
    )


def _to(incident: Incident, stage: Stage, reason: str, now: float) -> Incident:
    """A clock that stood still starts anew when the daemon may act again (SPEC 11)."""
    clock = incident.clock_at if incident.clock_at is not None else now
    keeps_root = stage is Stage.BLOCKED
    return replace(
        incident,
        stage=stage,
        reason=reason,
        clock_at=clock,
        blocked_by=incident.blocked_by if keeps_root else None,
        parent=incident.parent if keeps_root or stage is Stage.WAITING else None,
        run=incident.run if stage is Stage.HEALING else None,
    )
