"""What happened, taken from the rows that the product wrote: its own words, put in order. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from recovery.model import Effect, Run, StepOutcome
from watchdog.decisions.ports import Record
from watchdog.model.decision import Decision
from watchdog.model.incident import Incident
from watchdog.model.records import Hold, Notice, NoticeKind, Segment
from watchdog.simulation.expectations import Happening

_ORDER = (
    "operator",
    "state",
    "incident",
    "member",
    "blip",
    "decision",
    "playbook",
    "action",
    "effect",
    "alert",
    "edit",
    "report",
)
"""Of what happened at the same moment, causes come first."""


class Rows:
    """The newest version of each row, as the store would have it. Fed with every `put`."""

    def __init__(self) -> None:
        self.incidents: dict[int, Incident] = {}
        self.runs: dict[int, Run] = {}
        self.notices: dict[int, Notice] = {}
        self.decisions: dict[tuple[str, float], Decision] = {}
        self.segments: dict[tuple[str, float], Segment] = {}
        self.holds: dict[tuple[str, float], Hold] = {}
        self._keep: dict[type, Callable[[Any], None]] = {
            Incident: lambda row: self.incidents.__setitem__(row.id, row),
            Run: lambda row: self.runs.__setitem__(row.id, row),
            Notice: lambda row: self.notices.__setitem__(row.id, row),
            Decision: lambda row: self.decisions.__setitem__((row.service, row.at), row),
            Segment: lambda row: self.segments.__setitem__((row.service, row.since), row),
            Hold: lambda row: self.holds.__setitem__((row.service, row.since), row),
        }

    def see(self, record: Record) -> None:
        keep = self._keep.get(type(record))
        if keep is not None:
            keep(record)


def timeline(rows: Rows, elapsed: Callable[[float], float], reports: Iterable[Happening] = ()) -> list[Happening]:
    """Everything in the order in which it happened. elapsed: wall seconds to seconds since the start."""
    found = [
        *(_state(each, elapsed) for each in rows.segments.values()),
        *(_incident(each, elapsed) for each in rows.incidents.values()),
        *(_decision(each, elapsed) for each in rows.decisions.values()),
        *(happening for each in rows.runs.values() for happening in _run(each, elapsed)),
        *_notices(rows.notices.values(), elapsed),
        *reports,
    ]
    return sorted(found, key=lambda each: (round(each.at, 3), _ORDER.index(each.kind), each.service, each.name))


def _state(segment: Segment, elapsed: Callable[[float], float]) -> Happening:
    until = None if segment.until is None else elapsed(segment.until)
    return Happening(elapsed(segment.since), "state", segment.service, segment.state.value, until, {"reason": segment.reason})


def _incident(incident: Incident, elapsed: Callable[[float], float]) -> Happening:
    kind = "blip" if incident.blip else "member" if incident.parent is not None else "incident"
    data = {
        "id": incident.id,
        "outcome": None if incident.outcome is None else incident.outcome.value,
        "tier": incident.tier.value,
        "stage": incident.stage.value,
        "symptom": incident.symptom,
        "reason": ": ".join(part for part in (incident.symptom, incident.reason) if part),
        "parent": incident.parent,
        "relapses": incident.relapses,
    }
    until = None if incident.closed_at is None else elapsed(incident.closed_at)
    return Happening(elapsed(incident.opened_at), kind, incident.service, incident.service, until, data)


def _decision(decision: Decision, elapsed: Callable[[float], float]) -> Happening:
    last = decision.last
    data = {"reason": last.reason, "step": last.step.value, "playbook": last.playbook, "times": decision.times}
    return Happening(elapsed(decision.at), "decision", decision.service, last.verdict.value, data=data)


def _run(run: Run, elapsed: Callable[[float], float]) -> Iterator[Happening]:
    outcome = None if run.outcome is None else run.outcome.value
    until = None if run.ended_at is None else elapsed(run.ended_at)
    data = {"outcome": outcome, "reason": run.detail, "incident": run.incident, "by": run.by}
    yield Happening(elapsed(run.started_at), "playbook", run.service, run.playbook, until, data)
    touched: list[Effect] = []
    first = 0.0
    for step in run.steps:
        ended = None if step.ended_at is None else elapsed(step.ended_at)
        how = None if step.outcome is None else step.outcome.value
        told = {"outcome": how, "text": step.detail, "playbook": run.playbook}
        yield Happening(elapsed(step.intent_at), "action", run.service, step.action, ended, told)
        if step.effect is not Effect.NONE and step.outcome is not StepOutcome.SKIPPED:
            first = first if touched else step.intent_at
            touched.append(step.effect)
    # A refunded run was settled as not having happened: its old instance was seen alive and untouched.
    if touched and not run.refunded:
        effect = max(touched, key=lambda each: each.rank)
        yield Happening(elapsed(first), "effect", run.service, effect.value, data={"outcome": outcome, "playbook": run.playbook})


def _notices(notices: Iterable[Notice], elapsed: Callable[[float], float]) -> Iterator[Happening]:
    """The first word about an incident is an alert, even when it is the last one too; what changes it is an edit."""
    told: set[int] = set()
    for notice in sorted(notices, key=lambda each: each.id):
        if notice.kind is NoticeKind.REPORT:
            yield Happening(elapsed(notice.at), "report", "", notice.service, data={"text": notice.text})
            continue
        first = notice.incident is not None and notice.incident not in told
        if notice.incident is not None:
            told.add(notice.incident)
        kind = "alert" if first or notice.kind is NoticeKind.NEW else "edit"
        data: dict[str, Any] = {"tier": notice.tier.value, "text": notice.text, "incident": notice.incident}
        if notice.delivered_at is not None:
            data["delivered"] = elapsed(notice.delivered_at)
        if notice.kind is NoticeKind.CLOSE:
            data["close"] = True
        yield Happening(elapsed(notice.at), kind, notice.service, notice.tier.value, data=data)
