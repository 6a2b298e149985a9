"""The order of SPEC 5, readable as a list: each step passes or has the last word, and each says why."""

from __future__ import annotations

from collections.abc import Callable

from watchdog.decisions.boundaries import terminal
from watchdog.decisions.charge import budget
from watchdog.decisions.consent import playbook
from watchdog.decisions.operator import operator
from watchdog.decisions.pauses import grace
from watchdog.decisions.root import root
from watchdog.decisions.situation import Situation
from watchdog.decisions.world import host
from watchdog.model.decision import Ruling, Verdict

STEPS: tuple[Callable[[Situation, float], Ruling], ...] = (host, operator, root, grace, terminal, budget, playbook)


def decide(situation: Situation, now: float) -> tuple[Ruling, ...]:
    """The rulings up to and including the one that decided: heal, wait or escalate (SPEC 5). `now`: wall seconds."""
    trail: list[Ruling] = []
    for step in STEPS:
        trail.append(step(situation, now))
        if trail[-1].verdict is not Verdict.PASS:
            break
    return tuple(trail)
