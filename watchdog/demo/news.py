"""What has happened between two looks, in one line each: taken from rows of the store, nothing is made up. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from recovery.model import Run, RunOutcome, StepOutcome
from recovery.units import format_duration
from watchdog.demo.fleet import TITLES, TRIES
from watchdog.demo.seen import BRING_UP, Seen
from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.records import NoticeKind


@dataclass(frozen=True, slots=True)
class Line:
    """at: wall seconds. who: title of a bot. sign: one character that stands beside its words. role: of its colour."""

    at: float
    who: str
    sign: str
    text: str
    role: str


TOLD_STEPS: Mapping[str, str] = {"stop_process": "SIGTERM was ignored", "reload": ""}
"""Steps whose words say more than that they were done, when they begin so."""


def news(before: Seen, after: Seen) -> tuple[Line, ...]:
    """Oldest first."""
    old_runs = {run.id: run for run in before.runs}
    old_incidents = {incident.id: incident for incident in before.incidents}
    lines = [line for run in after.runs for line in _run(old_runs.get(run.id), run, after)]
    lines += [line for incident in after.incidents for line in _incident(old_incidents.get(incident.id), incident, after)]
    known = {notice.id for notice in before.notices}
    lines += [
        Line(notice.at, title(notice.service), "✗", "a critical alert goes out: a person is needed", "bad")
        for notice in after.notices
        if notice.id not in known and notice.tier is Tier.CRITICAL and notice.kind is NoticeKind.NEW
    ]
    return tuple(sorted(lines, key=lambda line: line.at))


def title(name: str | None) -> str:
    return TITLES.get(name or "", name or "")


def _run(old: Run | None, run: Run, after: Seen) -> Iterator[Line]:
    who = title(run.service)
    if run.playbook == BRING_UP:
        if run.outcome is RunOutcome.HEALED and (old is None or old.open):
            yield Line(run.ended_at or after.at, who, "✓", "started, answers", "good")
        return
    if old is None:
        yield Line(run.started_at, who, "→", f"{run.playbook}{_count(run, after)}", "busy")
    done_before = {step.index for step in old.steps if step.outcome is not None} if old is not None else set()
    for step in run.steps:
        if step.outcome is not StepOutcome.OK or step.index in done_before or step.action not in TOLD_STEPS:
            continue
        if step.detail.startswith(TOLD_STEPS[step.action]):
            yield Line(step.ended_at or after.at, who, "→", step.detail, "busy")
    if run.outcome is not None and run.outcome is not RunOutcome.HEALED and (old is None or old.open):
        yield Line(run.ended_at or after.at, who, "✗", run.detail, "bad")


def _count(run: Run, after: Seen) -> str:
    """`, try 2 of 3` for a service that was tried before."""
    tries = [each.id for each in after.recoveries(run.service) if each.incident == run.incident]
    number = tries.index(run.id) + 1
    return f", try {number} of {TRIES}" if number > 1 else ""


def _incident(old: Incident | None, new: Incident, after: Seen) -> Iterator[Line]:
    who = title(new.service)
    if old is None:
        yield Line(new.opened_at, who, "✗", new.reason if new.stage is Stage.OPEN else _opening(new), "bad")
    was = old.stage if old is not None else None
    if new.stage is was and (old is None or old.blocked_by == new.blocked_by):
        return
    if new.stage is Stage.BLOCKED:
        yield Line(after.at, who, "○", f"left alone: waits for {title(new.blocked_by)}", "warn")
    elif new.stage is Stage.PARKED:
        last = max((run.ended_at or 0.0 for run in after.recoveries(new.service)), default=after.at)
        yield Line(last, who, "✗", f"parked after {TRIES} tries: nothing more for an hour", "bad")
    elif new.stage is Stage.CLOSED:
        yield Line(new.closed_at or after.at, who, "✓", _close(new), "good")


_STATES: Mapping[str, str] = {"unresponsive": "does not answer", "exited": "its process ended"}


def _opening(incident: Incident) -> str:
    """It had moved on before anybody looked."""
    symptom = incident.symptom or ""
    return _STATES.get(symptom, symptom or "not well")


def _close(incident: Incident) -> str:
    span = format_duration(incident.duration(incident.closed_at or 0.0))
    if incident.outcome is Outcome.HEALED:
        return f"healthy again after {span}"
    return f"well again by itself after {span}, not touched"
