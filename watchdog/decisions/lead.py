"""Which of a service's symptoms leads, and when an answer is worth another look."""

from __future__ import annotations

from dataclasses import replace

from watchdog.decisions.fleet import Card
from watchdog.model.decision import Ruling, Verdict
from watchdog.model.symptom import ORDER, Symptom
from watchdog.state.history import muted
from watchdog.symptoms.diagnose import diagnose

PATIENCE = 5.0
"""Seconds between two looks at what a dependency blocks; its return is an event."""


def lead(card: Card, now: float) -> tuple[Symptom | None, bool]:
    """The symptom to be treated, and whether it is confirmed; a muted one is named too, so that `why` can tell."""
    found = tuple(s for s in diagnose(card.history, card.service, now) if s.name in ORDER)
    if card.parking is not None:
        found = tuple(s for s in found if not s.person)  # the person was asked; an attempt treats what can be treated
    if card.reconnect is not None:
        real = tuple(s for s in found if not s.from_health)
        if real:
            return real[0], True
        return (found[0], False) if found else (None, False)
    if found:
        return found[0], True
    if muted(card.history, now):
        unmuted = replace(card.history, life=replace(card.history.life, grace_until=None))
        hidden = diagnose(unmuted, card.service, now)
        if hidden:
            return hidden[0], False
    return None, False


def worth_a_look(last: Ruling, now: float) -> float:
    """When time alone may change this answer; whatever else may change it comes as an event and is looked at at once."""
    if last.verdict is Verdict.WAIT and last.until is not None:
        return last.until
    return now + PATIENCE if last.by is not None else now
