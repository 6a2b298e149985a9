"""Step 2, operator: what a person does or wants comes before what we would do (SPEC 5)."""

from __future__ import annotations

from watchdog.decisions.situation import Situation
from watchdog.model.container import DEPLOY, Deed
from watchdog.model.decision import Ruling, Step, Verdict


def operator(situation: Situation, now: float) -> Ruling:
    """Waits during a hold, a stop on purpose, maintenance, and after a person took the incident over."""
    hold = situation.hold
    if hold is not None:
        word = "stopped on purpose" if hold.stop else "on hold"
        because = f": {hold.reason}" if hold.reason else ""
        return Ruling(Step.OPERATOR, Verdict.WAIT, f"{word} by {hold.by}{because}", until=hold.until)
    hand = situation.by_hand
    if hand is not None:
        until = hand.at + DEPLOY if hand.deed is Deed.REMOVED and not hand.told else None
        told = "; a deploy may bring a new one" if until is not None else ""
        return Ruling(Step.OPERATOR, Verdict.WAIT, f"{hand.words}{told}", until=until)
    if situation.touched:
        return Ruling(Step.OPERATOR, Verdict.WAIT, f"somebody is at its container ({situation.touched})")
    if situation.maintenance_until is not None:
        return Ruling(Step.OPERATOR, Verdict.WAIT, "maintenance window", until=situation.maintenance_until)
    if situation.acked:
        return Ruling(Step.OPERATOR, Verdict.WAIT, "a person has acknowledged it and asked for no action")
    return Ruling(Step.OPERATOR, Verdict.PASS, "no hold, no maintenance; nobody stopped it")
