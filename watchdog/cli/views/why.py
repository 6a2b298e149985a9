"""`watchdogctl why SERVICE`: for each step of SPEC 5, why something was or was not done, on one screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from watchdog.cli.views.frame import Frame
from watchdog.cli.views.status import Doc, row_of
from watchdog.cli.views.symbols import DECIDED, DONE, UNASKED
from watchdog.cli.views.text import clean, folded, plural
from watchdog.cli.views.times import ahead, clock, length, seconds_of
from watchdog.model.decision import Decision, Ruling, Step, Verdict
from watchdog.model.incident import Incident, Stage
from watchdog.model.service import State

ROLE = {Verdict.HEAL: "busy", Verdict.WAIT: "warn", Verdict.ESCALATE: "bad", Verdict.PASS: "good"}

SCREEN = 3
"""Answers on one screen without --all."""


@dataclass(frozen=True, slots=True)
class Question:
    """service: its entry in `status`. decisions: kept answers, oldest first. page_at: when a page is due, if it is.

    before: how many answers about earlier incidents are kept beside these.
    """

    service: Doc
    decisions: Sequence[Decision]
    incident: Incident | None = None
    page_at: float | None = None
    before: int = 0


def why_lines(question: Question, frame: Frame, *, everything: bool = False) -> list[str]:
    """The newest answer and the newest deed with all their steps, what lies between in a line each; `Next` at the end."""
    lines = [*_head(question, frame), *_held(question, frame), *_grounds(question, frame), ""]
    shown = list(question.decisions) if everything else _screen(question.decisions)
    older = question.before + len(question.decisions) - len(shown)
    if older:
        lines.append(frame.paint(f"{plural(older, 'older answer')}: watchdogctl why {question.service['name']} --all", "dim"))
    opened = _opened(shown, everything=everything)
    for decision in shown:
        lines += _answer(decision, frame)
        lines += _trail(decision, frame) if decision in opened else []
    if not shown:
        lines.append("Nothing had to be decided about it so far.")
    return [*lines, "", *folded(_next(question, frame), frame.width, indent="  ")]


def _head(question: Question, frame: Frame) -> list[str]:
    service, row = question.service, row_of(question.service, frame)
    since = seconds_of(service.get("since"))
    parts = [service["name"], service["state"]]
    if since:
        parts[1] += f" since {clock(since, frame)}"
    if service.get("reason"):
        reason = clean(str(service["reason"]))
        parts[1] += f", {reason}" if "(" in reason else f" ({reason})"
    if question.incident is not None:
        parts.append(f"incident {question.incident.id}")
    first, *rest = folded(" · ".join(parts), frame.width, indent="  ")
    painted = f"{frame.paint(service['name'], 'bold')} · {frame.paint(service['state'], row.role)}"
    return [first.replace(f"{service['name']} · {service['state']}", painted, 1), *rest]


def _held(question: Question, frame: Frame) -> list[str]:
    """By whom it is stopped or held, until when and why: that needs no answer of ours."""
    hold = question.service.get("hold")
    if not isinstance(hold, Mapping):
        return []
    until = seconds_of(hold.get("until"))
    word = "Stopped" if hold.get("stop") else "On hold"
    ends = f" until {clock(until, frame)}" if until else ""
    because = f": {clean(str(hold['reason']))}" if hold.get("reason") else ""
    return folded(f"{word} by {clean(str(hold.get('by') or 'somebody'))}{ends}{because}", frame.width, indent="  ")


def _grounds(question: Question, frame: Frame) -> list[str]:
    """What it likely comes from, and how often it was so before, as the page says it."""
    told = [("Likely", str(guess)) for guess in question.service.get("likely") or ()]
    told += [("Before", str(question.service["before"]))] if question.service.get("before") else []
    lines = []
    for label, text in told:
        first, *rest = folded(clean(text), frame.width - 8)
        lines += [f"{label:<8}{first}", *(f"{'':8}{line}" for line in rest)]
    return lines


def _screen(decisions: Sequence[Decision]) -> list[Decision]:
    """The last few answers, and in any case the last one that healed or escalated."""
    last = list(decisions[-SCREEN:])
    deeds = [d for d in decisions if d.verdict in (Verdict.HEAL, Verdict.ESCALATE)]
    if deeds and deeds[-1] not in last:
        last = [deeds[-1], *last[1:]]
    return last


def _opened(shown: Sequence[Decision], *, everything: bool) -> list[Decision]:
    if everything or not shown:
        return list(shown)
    deeds = [d for d in shown if d.verdict is Verdict.HEAL]
    return [shown[-1], *deeds[-1:]]


def _answer(decision: Decision, frame: Frame) -> list[str]:
    word = decision.verdict.value
    if decision.verdict is Verdict.HEAL:
        what = f"{word} with {decision.last.playbook or '?'}"
    else:
        what = f"{word}: {clean(decision.reason)}{_until(decision.last, frame)}"
    asked = ""
    if decision.times > 1:
        asked = f" (asked {decision.times} times in {length(max(1.0, decision.last_at - decision.at))})"
    first, *rest = folded(f"{clock(decision.at, frame)} {DECIDED} {what}{asked}", frame.width, indent="    ")
    return [first.replace(f"{DECIDED} {word}", f"{DECIDED} {frame.paint(word, ROLE[decision.verdict])}", 1), *rest]


def _trail(decision: Decision, frame: Frame) -> list[str]:
    lines = [line for ruling in decision.trail for line in _ruling(ruling, frame)]
    reached = {ruling.step for ruling in decision.trail}
    last = decision.last.step
    unasked = [step for step in list(Step)[list(Step).index(last) + 1 :] if step not in reached]
    says = f"not asked: {last} had the last word"
    return [*lines, *(frame.paint(f"  {step:<9} {UNASKED}  {says}", "dim") for step in unasked)]


def _ruling(ruling: Ruling, frame: Frame) -> list[str]:
    passed = ruling.verdict is Verdict.PASS
    sign = frame.paint(DONE if passed else DECIDED, ROLE[ruling.verdict])
    text = clean(ruling.reason)
    if ruling.verdict is Verdict.HEAL and ruling.playbook:
        text = f"{ruling.playbook} ({text})"
    elif not passed:
        text = f"{ruling.verdict}: {text}{_until(ruling, frame)}"
    first, *rest = folded(text, max(frame.width - 15, 30))
    return [f"  {ruling.step:<9} {sign}  {first}", *(f"               {line}" for line in rest)]


def _until(ruling: Ruling, frame: Frame) -> str:
    return f" until {clock(ruling.until, frame)}" if ruling.until is not None else ""


def _next(question: Question, frame: Frame) -> str:
    ends = _hold_ends(question, frame)
    if (left := _left(question)) and not ends:
        return f"Next: {left}."
    if question.incident is None or not question.incident.open:
        return f"Next: {ends[1]}." if ends else "Next: nothing; the usual checks go on."
    if (attempt := _attempt(question, frame)) is not None:
        return f"Next: {attempt}."
    plans: list[tuple[float, str]] = [ends] if ends else []
    if not ends and question.decisions and (until := question.decisions[-1].last.until) is not None and until > frame.now:
        plans.append((until, f"asked again {ahead(until, frame)}"))
    if question.page_at is not None:
        plans.append((question.page_at, f"page {ahead(question.page_at, frame)} if not healed"))
    if not plans:
        return "Next: asked again at the next check."
    return "Next: " + "; ".join(text for _, text in sorted(plans)) + "."


def _hold_ends(question: Question, frame: Frame) -> tuple[float, str] | None:
    """When a stop or hold is over, and what follows by itself."""
    hold = question.service.get("hold")
    until = seconds_of(hold.get("until")) if isinstance(hold, Mapping) else None
    if until is None or not isinstance(hold, Mapping):
        return None
    follows = "it is brought up again" if hold.get("stop") else "the hold ends and fresh counts begin"
    return until, f"{ahead(until, frame)} {follows}"


def _left(question: Question) -> str:
    """What ends it when somebody took it away with `docker`."""
    reason = str(question.service.get("reason") or "")
    ends = {"stopped": "somebody starts it", "paused": "somebody unpauses it", "removed": "a container of that name runs"}
    how = next((end for deed, end in ends.items() if reason.startswith(f"{deed} by hand")), "")
    return f"nothing is done until {how}" if how and question.service.get("state") == State.STOPPED else ""


def _attempt(question: Question, frame: Frame) -> str | None:
    """The next attempt of a parked service, if nothing but time is in its way."""
    service, incident = question.service, question.incident
    at = seconds_of(service.get("next_at"))
    if at is None or incident is None or incident.stage is not Stage.PARKED or incident.acked or service.get("hold"):
        return None
    return (
        f"one attempt {ahead(at, frame)}, nothing until then" if at > frame.now else f"one attempt, due since {clock(at, frame)}"
    )
