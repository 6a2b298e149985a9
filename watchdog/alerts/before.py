"""How often it happened before, and what helped then: the memory behind `Before`. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from recovery.model import Run, RunOutcome
from watchdog.model.incident import Incident, Outcome
from watchdog.model.phrases import HEALED_BY

WINDOW = 30 * 86400.0
"""Seconds of history that are told (30 days)."""


def before(incident: Incident, others: Iterable[Incident], runs: Iterable[Run], now: float) -> str:
    """`4 times in 30 days, restart-unresponsive helped each time`; empty when it is the first time.

    others and runs: of this service, the incident itself may be among them. Same symptom only; blips and members do not count.
    """
    same, runs = alike(incident, others, now), tuple(runs)
    if not same:
        return ""
    helped = Counter(name for each in same if (name := _helper(each, runs)))
    told = f"{_times(len(same))} in 30 days"
    if not helped:
        alone = all(each.outcome is Outcome.SELF_RECOVERED for each in same)
        return f"{told}, it came back by itself" if alone else f"{told}, no run of a playbook helped"
    playbook, count = helped.most_common(1)[0]
    if count >= len(same):
        return f"{told}, {playbook} helped{' each time' if len(same) > 1 else ''}"
    return f"{told}, {playbook} helped {count} of {len(same)}"


def _helper(healed: Incident, runs: Iterable[Run]) -> str:
    """The playbook that healed it. Runs are kept for a day only; the incident remembers its own in the words of its close."""
    mine = (run.playbook for run in runs if run.incident == healed.id and run.outcome is RunOutcome.HEALED)
    return next(mine, healed.reason.removeprefix(HEALED_BY) if healed.reason.startswith(HEALED_BY) else "")


def alike(incident: Incident, others: Iterable[Incident], now: float) -> list[Incident]:
    """The earlier ones of the same service and symptom within WINDOW; blips and members do not count."""
    return [
        each
        for each in others
        if each.id != incident.id
        and each.service == incident.service
        and each.symptom == incident.symptom
        and not each.blip
        and each.parent is None
        and now - each.opened_at <= WINDOW
    ]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
