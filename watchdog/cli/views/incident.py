"""`watchdogctl incident ID`: everything about one incident, in the order in which a person asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from recovery.model import Run, StepOutcome, StepRecord
from watchdog.cli.views.frame import Frame
from watchdog.cli.views.incidents import ending
from watchdog.cli.views.symbols import DONE, FAILED, OUTCOME_ROLE, RUN_SIGN, STEP_SIGN, TIER_ROLE, words
from watchdog.cli.views.text import as_written, clean, clean_line, cut, folded, wrapped
from watchdog.cli.views.times import clock, length, record
from watchdog.model.incident import Incident, Stage
from watchdog.model.records import Entry, Evidence, Notice

EVIDENCE_LINES = 40
"""Lines of one piece of evidence on a screen; `-o json` has all of it."""

GIVEN_UP = frozenset({Stage.PARKED, Stage.PERSON})
"""Nothing is done unasked: to ask for it is what helps, as the page says too; a hold would hold nothing."""


@dataclass(frozen=True, slots=True)
class Dossier:
    """An incident with all that was written down about it. Times wall seconds, each list oldest first.

    withheld: why the evidence is not shown to the one who asks.
    """

    incident: Incident
    title: str
    runs: Sequence[Run] = ()
    timeline: Sequence[Entry] = ()
    evidence: Sequence[Evidence] = ()
    notices: Sequence[Notice] = ()
    blocked: Sequence[str] = ()
    withheld: str = ""


def incident_lines(dossier: Dossier, frame: Frame) -> list[str]:
    """Who, what, since when; what it came from; the timeline; what was tried; evidence and messages."""
    lines = [*_head(dossier, frame), *_section("Timeline", _timeline(dossier.timeline, frame))]
    lines += _section("Tried", [line for run in dossier.runs for line in _run(run, frame)])
    for piece in dossier.evidence:
        lines += _section(f"{words(piece.kind).capitalize()} of {record(piece.at, frame)}", _evidence(piece, frame))
    lines += _section("Evidence", folded(clean(dossier.withheld), frame.width - 2) if dossier.withheld else ())
    lines += _section("Messages", [line for notice in dossier.notices for line in _notice(notice, frame)])
    return [*lines, *_section("Act", _act(dossier.incident))]


def _head(dossier: Dossier, frame: Frame) -> list[str]:
    incident = dossier.incident
    role = OUTCOME_ROLE.get(str(incident.outcome), TIER_ROLE[incident.tier]) if not incident.open else TIER_ROLE[incident.tier]
    name = f"{clean(dossier.title)} ({incident.service})" if dossier.title != incident.service else incident.service
    state = frame.paint(ending(incident), role)
    lines = [f"incident {incident.id} · {frame.paint(name, 'bold')} · {state} · {incident.tier}"]
    facts = {
        "Since": _since(incident, frame),
        "Saw": ", also ".join(dict.fromkeys(words(name) for name in (incident.symptom, *incident.joined) if name)),
        "State" if incident.open else "End": clean(incident.reason),
        "Cause": clean(incident.cause),
        "Blocked": f"by {incident.blocked_by}" if incident.blocked_by else "",
        "Blocks": ", ".join(dossier.blocked),
        "Part of": f"incident {incident.parent}" if incident.parent is not None else "",
        "Marked": "false alarm" if incident.false_alarm else "seen by a person, no action for it" if incident.acked else "",
    }
    for label, value in facts.items():
        if value.strip(": "):
            first, *rest = folded(value, frame.width - 10)
            lines += [f"{label:<9} {first}", *(f"          {line}" for line in rest)]
    return lines


def _since(incident: Incident, frame: Frame) -> str:
    lasted = length(incident.duration(frame.now))
    opened = record(incident.opened_at, frame)
    again = f", opened again at {clock(incident.reopened_at, frame)}" if incident.reopened_at is not None else ""
    if incident.open:
        return f"{opened}, for {lasted} now{again}"
    until = record(incident.closed_at, frame) if incident.closed_at is not None else "?"
    return f"{opened} until {until}, {lasted}{again}"


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", title, *(f"  {line}".rstrip() for line in lines)] if lines else []


def _timeline(entries: Sequence[Entry], frame: Frame) -> list[str]:
    kind = max((len(entry.kind) for entry in entries), default=0)
    mixed = len({entry.service for entry in entries}) > 1
    lines = []
    for entry in entries:
        stamp = f"{clock(entry.at, frame)}  {words(entry.kind):<{kind}}  "
        text = f"{entry.service}: {clean(entry.text)}" if mixed else clean(entry.text)
        first, *rest = folded(text, max(frame.width - 2 - len(stamp), 20))
        lines += [stamp + first, *(" " * len(stamp) + line for line in rest)]
    return lines


def _run(run: Run, frame: Frame) -> list[str]:
    ended = f"–{clock(run.ended_at, frame)}" if run.ended_at is not None else " until now"
    sign = RUN_SIGN.get(str(run.outcome), FAILED) if run.outcome else "→"
    outcome = frame.paint(words(run.outcome) or ("in proof" if run.proving_at else "at work"), "good" if sign == DONE else "warn")
    by = f" by {run.by}" if run.by != "watchdog" else ""
    refunded = ", not counted" if run.refunded else ""
    head = f"{sign} {frame.paint(run.playbook, 'bold')} {clock(run.started_at, frame)}{ended}{by}: {outcome}{refunded}"
    detail = f" ({clean(run.detail)})" if run.detail else ""
    return [head + detail, *(f"    {_step(step, frame)}" for step in run.steps)]


def _step(step: StepRecord, frame: Frame) -> str:
    sign = STEP_SIGN.get(str(step.outcome), FAILED) if step.outcome else "→"
    took = f"{length(step.ended_at - step.intent_at):>12}" if step.ended_at is not None else f"{'':>12}"
    word = "" if step.outcome in (StepOutcome.OK, None) else f"{words(step.outcome)}: "
    return cut(f"{sign} {step.action:<18} {took}  {word}{clean(step.detail)}".rstrip(), frame.width - 6)


def _evidence(piece: Evidence, frame: Frame) -> list[str]:
    """Equal lines in a row are shown once with their number."""
    lines = []
    for line, same in groupby(map(clean_line, piece.text.splitlines())):
        count = sum(1 for _ in same)
        times = f" ×{count}" if count > 1 and line.strip() else ""
        lines.append(cut(line, frame.width - 2 - len(times)) + times)
    if len(lines) <= EVIDENCE_LINES:
        return lines
    return [*lines[:EVIDENCE_LINES], f"… {len(lines) - EVIDENCE_LINES} more lines (-o json)"]


def _notice(notice: Notice, frame: Frame) -> list[str]:
    told = "" if notice.delivered_at is not None else ", not delivered yet"
    head = f"{clock(notice.at, frame)}  {frame.paint(notice.tier, TIER_ROLE[notice.tier])}, {notice.kind}{told}"
    return [head, *(f"    {part}" for line in notice.text.split("\n") for part in wrapped(as_written(line), frame.width - 6))]


def _act(incident: Incident) -> list[str]:
    if not incident.open:
        return []
    return [
        f"watchdogctl why {incident.service}",
        f"watchdogctl {f'recover {incident.service}' if incident.stage in GIVEN_UP else f'hold {incident.service} --for 1h'}",
        f"watchdogctl ack {incident.id}",
    ]
