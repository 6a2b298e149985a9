"""Did it all really happen? Judged by the store and by what the bots wrote themselves, not by what was told. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from recovery.model import Run, RunOutcome
from watchdog.demo.fleet import CAST, DATABASE, HANGS, HOPELESS, NAMES, STALE, TRIES, dependents
from watchdog.demo.seen import BRING_UP, Seen
from watchdog.model.incident import Outcome, Stage, Tier
from watchdog.model.records import NoticeKind

EXPECTED: dict[str, tuple[str, RunOutcome, int]] = {
    HANGS: ("restart-unresponsive", RunOutcome.HEALED, 1),
    STALE: ("soft-recovery", RunOutcome.HEALED, 1),
    DATABASE: ("start-exited", RunOutcome.HEALED, 1),
    HOPELESS: ("restart-unresponsive", RunOutcome.FAILED, TRIES),
}
"""Playbook, outcome and number of the recoveries of each bot that fell ill; nobody else has any."""

STARTED: dict[str, int] = {HANGS: 2, DATABASE: 2, HOPELESS: 1 + TRIES}
"""How often a bot was started; the others once."""


def failures(seen: Seen) -> list[str]:
    """One sentence for each thing that is not as it should be."""
    return [*_order(seen), *_recoveries(seen), *_starts(seen), *_incidents(seen), *_left_alone(seen), *_told(seen)]


def _order(seen: Seen) -> Iterator[str]:
    first = {run.service: run for run in seen.runs if run.playbook == BRING_UP}
    for part in CAST:
        run = first.get(part.name)
        if run is None or run.outcome is not RunOutcome.HEALED:
            yield f"{part.title} was not brought up"
            continue
        for need in part.needs:
            if need in first and (first[need].ended_at or 0.0) > run.started_at:
                yield f"{part.title} was started before {need}, which it needs, was well"


def _recoveries(seen: Seen) -> Iterator[str]:
    for name in NAMES:
        runs = seen.recoveries(name)
        if name not in EXPECTED:
            yield from (f"{name} was treated with {run.playbook} though it was to be left alone" for run in runs)
            continue
        playbook, outcome, count = EXPECTED[name]
        if [_brief(run) for run in runs] != [(playbook, outcome)] * count:
            was = ", ".join(f"{run.playbook} {run.outcome or 'running'}" for run in runs) or "nothing"
            yield f"{name} was to be treated with {count} × {playbook} ({outcome}), it was: {was}"


def _brief(run: Run) -> tuple[str, RunOutcome | None]:
    return run.playbook, run.outcome


def _starts(seen: Seen) -> Iterator[str]:
    for name in NAMES:
        count, right = seen.starts.get(name, 0), STARTED.get(name, 1)
        if count != right:
            yield f"{name} says that it was started {count} times, not {right}"


def _incidents(seen: Seen) -> Iterator[str]:
    for name in (HANGS, STALE, DATABASE):
        incident = seen.last_incident(name)
        if incident is None or incident.outcome is not Outcome.HEALED:
            yield f"the incident of {name} did not end as healed"
    stop = seen.step(HANGS, "stop_process") or ""
    if "killed" not in stop:
        yield f"{HANGS} was to ignore SIGTERM and be killed, it was: {stop or 'not stopped'}"


def _left_alone(seen: Seen) -> Iterator[str]:
    """One incident, with those that need the database folded into it, level by level."""
    numbers = {incident.id: incident.service for incident in seen.incidents}
    allowed = {DATABASE}
    for level in dependents(DATABASE):
        for name in level:
            incident = seen.last_incident(name)
            parent = numbers.get(incident.parent or 0) if incident is not None else None
            if incident is None or incident.outcome is not Outcome.SELF_RECOVERED or parent not in allowed:
                yield f"{name} was to be explained by {DATABASE} and to recover by itself"
        allowed |= set(level)
    for name in dependents(HOPELESS)[0]:
        if seen.stage(name) is not Stage.BLOCKED:
            yield f"{name} was to wait for {HOPELESS}"


def _told(seen: Seen) -> Iterator[str]:
    incident = seen.incident(HOPELESS)
    if incident is None or incident.stage is not Stage.PARKED or incident.tier is not Tier.CRITICAL:
        yield f"{HOPELESS} was not parked as critical"
    pages = [n.service for n in seen.notices if n.tier is Tier.CRITICAL and n.kind is NoticeKind.NEW]
    if pages != [HOPELESS]:
        yield f"one critical message was to go out, about {HOPELESS}; there were {len(pages)}: {', '.join(pages) or 'none'}"
