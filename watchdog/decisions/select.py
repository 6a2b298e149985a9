"""Which playbook a situation calls for: the rung that the last run named, or the most specific that matches (SPEC 5, step 7)."""

from __future__ import annotations

from watchdog.decisions.choose import Choice, choose
from watchdog.decisions.situation import Situation


def pick(situation: Situation) -> Choice:
    """The rung that follows a failed run, or the choice by symptom."""
    if situation.rung and situation.rung in situation.playbooks:
        return Choice(situation.playbooks[situation.rung], "the next rung after a run that did not help")
    return choose(situation.symptom, situation.service, situation.playbooks)
