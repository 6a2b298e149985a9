"""Steps 7 and 8, playbook and mode: what would help, and whether it may be done without asking (SPEC 5)."""

from __future__ import annotations

from recovery.model import Mode
from watchdog.decisions.select import pick
from watchdog.decisions.situation import Approval, Situation
from watchdog.model.decision import Ruling, Step, Verdict

EXPIRES = 1800.0
"""Seconds after which an unanswered request for approval goes to a person (SPEC 6)."""


def playbook(situation: Situation, now: float) -> Ruling:
    """In observe mode nothing runs; in approve mode a person says yes first."""
    choice = pick(situation)
    book = choice.playbook
    if book is None:
        return Ruling(Step.PLAYBOOK, Verdict.ESCALATE, choice.why)
    if situation.observing or book.mode is Mode.OBSERVE:
        return Ruling(Step.PLAYBOOK, Verdict.WAIT, f"observe: would run {book.name}", playbook=book.name)
    if book.mode is Mode.APPROVE:
        approval = situation.approval
        if approval is None or approval.playbook != book.name:
            return Ruling(Step.PLAYBOOK, Verdict.WAIT, f"approval: {book.name} asks a person first", playbook=book.name)
        if approval.outcome is None and now < approval.expires_at:
            return Ruling(
                Step.PLAYBOOK,
                Verdict.WAIT,
                waits_for_yes(approval),
                playbook=book.name,
                until=approval.expires_at,
            )
        if approval.outcome != "approved":
            word = approval.outcome or "expired"
            return Ruling(Step.PLAYBOOK, Verdict.ESCALATE, f"approval of {book.name}: {word}", playbook=book.name)
    return Ruling(Step.PLAYBOOK, Verdict.HEAL, choice.why, playbook=book.name)


def waits_for_yes(approval: Approval) -> str:
    """The reason while the question is open."""
    return f"approval: {approval.playbook} waits for a yes (watchdogctl approve {approval.run})"
