"""Takes from the store what a report is made of, as it was at the end of its period. Pure: who reads is handed in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import tzinfo
from typing import Protocol

from recovery.model import Run
from watchdog.config.schema import Service
from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.phrases import HEALED_BY
from watchdog.model.records import Entry, Hold, Notice, Segment
from watchdog.reports.material import Material
from watchdog.reports.planned import planned

WEEK = 7 * 86400.0

MOST = 10_000
"""Incidents looked at for one report."""

_STAGES = {"opened": Stage.OPEN, "relapsed": Stage.CONFIRMED, **{stage.value: stage for stage in Stage}}
"""The lines of a timeline that tell of a stage."""


class Records(Protocol):
    """The questions of `state/store/reader.Reader` that a report asks."""

    def incidents(self, since: float | None = None, limit: int = 1000, service: str | None = None) -> tuple[Incident, ...]: ...
    def timeline(self, incident: int) -> tuple[Entry, ...]: ...
    def runs(self, incident: int | None = None, service: str | None = None, since: float | None = None) -> tuple[Run, ...]: ...
    def segments(self, service: str | None = None, since: float | None = None) -> tuple[Segment, ...]: ...
    def notices(self, incident: int | None = None, since: float | None = None) -> tuple[Notice, ...]: ...
    def holds(self, *, ended: bool = False) -> tuple[Hold, ...]: ...


def gather(
    records: Records,
    titles: Mapping[str, str],
    services: Iterable[Service],
    period: tuple[float, float],
    tz: tzinfo,
    slow: Mapping[str, str] | None = None,
) -> Material:
    """titles: every service by name. services: as configured, for their maintenance. slow: how it is now, for a report of now.

    What the store forgot after `state.keep` is not there. Raises what `records` raises.
    """
    since, until = period
    past = until - 2 * WEEK
    segments = records.segments(since=since)
    incidents = (i for i in records.incidents(since=past, limit=MOST) if i.opened_at <= until)
    return Material(
        titles=titles,
        states={s.service: s.state for s in segments if _lasted(s, until)},
        incidents=tuple(_then(records, incident, until) for incident in incidents),
        runs=tuple(run for run in records.runs(since=past) if run.started_at <= until),
        segments=tuple(segment for segment in segments if segment.since <= until),
        holds=tuple(hold for hold in records.holds(ended=True) if hold.since <= until),
        notices=tuple(notice for notice in records.notices(since=since) if notice.at <= until),
        planned=planned(services, tz, since, until),
        slow=slow or {},
    )


def as_of(incident: Incident, timeline: Iterable[Entry], until: float) -> Incident:
    """The incident as it was at `until` (wall seconds), as far as its timeline tells."""
    said = [entry for entry in timeline if entry.at <= until]
    stages = [entry for entry in said if entry.kind in _STAGES]
    loud = [Tier.CRITICAL if entry.text.startswith("critical") else Tier.SOFT for entry in said if entry.kind == "tier"]
    last = stages[-1] if stages else None
    stage = _STAGES[last.kind] if last is not None else Stage.OPEN
    ended = last if stage is Stage.CLOSED else None
    anew = incident.reopened_at is not None and incident.reopened_at > until
    return replace(
        incident,
        stage=stage,
        reason=last.text if last is not None else incident.reason,
        tier=max(loud, key=lambda tier: tier.rank, default=Tier.SILENT),
        confirmed_at=incident.opened_at if anew else _before(incident.confirmed_at, until),
        closed_at=ended.at if ended is not None else None,
        outcome=_outcome(ended) if ended is not None else Outcome.ESCALATED if stage is Stage.PERSON else None,
        relapses=0 if anew else incident.relapses,
        reopened_at=None if anew else incident.reopened_at,
        bad_before=0.0 if anew else incident.bad_before,
    )


def _then(records: Records, incident: Incident, until: float) -> Incident:
    changed = incident.open or (incident.closed_at or 0.0) > until
    # An open incident of a report of now is as it is: its timeline has nothing to add.
    timeline = records.timeline(incident.id) if changed else ()
    later = any(entry.at > until for entry in timeline)
    return as_of(incident, timeline, until) if later or (incident.closed_at or 0.0) > until else incident


def _outcome(ended: Entry) -> Outcome:
    """The row remembers the outcome of its last close only; of an earlier one its words."""
    return Outcome.HEALED if ended.text.startswith(HEALED_BY) else Outcome.SELF_RECOVERED


def _before(at: float | None, until: float) -> float | None:
    return at if at is not None and at <= until else None


def _lasted(segment: Segment, moment: float) -> bool:
    return segment.since <= moment and (segment.until is None or segment.until > moment)
