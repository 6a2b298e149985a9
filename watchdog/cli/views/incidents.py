"""`watchdogctl incidents`: what went wrong, newest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from watchdog.cli.views.frame import Frame
from watchdog.cli.views.symbols import FULL, HOLLOW, OUTCOME_ROLE, TIER_ROLE, words
from watchdog.cli.views.text import clean, cut, folded, pad, plural
from watchdog.cli.views.times import clock, length
from watchdog.model.incident import Incident, Outcome, Stage


def incidents_lines(incidents: Sequence[Incident], blocked: Mapping[int, Sequence[str]], frame: Frame) -> list[str]:
    """incidents: those to be listed, newest first. blocked: services folded into each."""
    if not incidents:
        return ["No incident in this time."]
    name = min(max([7, *(len(i.service) for i in incidents)]), 24)
    since = max([5, *(len(clock(i.opened_at, frame)) for i in incidents)])
    span = max([6, *(len(length(i.duration(frame.now))) for i in incidents)])
    loud = max(len(i.tier) for i in incidents)
    head = f"  {'ID':>4}  {pad('SERVICE', name)}  {'SINCE':<{since}}  {'LASTED':<{span}}  {'TIER':<{loud}}  WHAT"
    lines = [frame.paint(cut(head, frame.width), "dim")]
    indent = len(head) - len("WHAT")
    for incident in incidents:
        sign = frame.paint(FULL if incident.open else HOLLOW, _role(incident))
        row = f"{incident.id:>4}  {pad(incident.service, name)}  {clock(incident.opened_at, frame):<{since}}"
        lasted = pad(length(incident.duration(frame.now)), span)
        tier = frame.paint(pad(incident.tier, loud), TIER_ROLE[incident.tier])
        first, *rest = folded(_what(incident, blocked.get(incident.id, ())), max(frame.width - indent, 10))
        lines += [f"{sign} {row}  {lasted}  {tier}  {first}", *(" " * indent + line for line in rest)]
    return lines


def told(incident: Incident, frame: Frame) -> str:
    """An incident in one line without its time: `214 · unresponsive, healed after 2 min 24 s`."""
    return f"{incident.id} · {_symptom(incident)}, {ending(incident)} {_lasted(incident, frame)}"


def ending(incident: Incident) -> str:
    """How it stands or how it ended."""
    if incident.open:
        return {Stage.BLOCKED: f"blocked by {incident.blocked_by}", Stage.PERSON: "needs a person"}.get(
            incident.stage, words(incident.stage)
        )
    return {
        Outcome.HEALED: "healed",
        Outcome.SELF_RECOVERED: "recovered by itself",
        Outcome.ESCALATED: "ended by a person",
        Outcome.IGNORED: "done by an operator",
        Outcome.REMOVED: "removed from the configuration",
        None: "closed",
    }[incident.outcome]


def _lasted(incident: Incident, frame: Frame) -> str:
    word = "for" if incident.open else "after"
    return f"{word} {length(incident.duration(frame.now))}"


def _what(incident: Incident, blocked: Sequence[str]) -> str:
    again = f", again {plural(incident.relapses, 'time')}" if incident.relapses else ""
    more = f", {len(blocked)} blocked" if blocked else ""
    marks = ", false alarm" if incident.false_alarm else ", seen" if incident.open and incident.acked else ""
    return f"{_symptom(incident)}: {ending(incident)}{again}{more}{marks}"


def _symptom(incident: Incident) -> str:
    return clean(words(incident.symptom)) or "not confirmed"


def _role(incident: Incident) -> str:
    return TIER_ROLE[incident.tier] if incident.open else OUTCOME_ROLE.get(str(incident.outcome), "dim")
