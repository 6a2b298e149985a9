"""How often it happened before, and what helped then: the memory behind `Before` and `Likely`. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, tzinfo

from recovery.model import Run, RunOutcome
from watchdog.model.incident import Incident, Outcome
from watchdog.model.phrases import HEALED_BY

WINDOW = 30 * 86400.0
"""Seconds of history that are told (30 days)."""


def before(incident: Incident, others: Iterable[Incident], runs: Iterable[Run], now: float) -> str:
    """`4 times in 30 days, restart-unresponsive helped each time`; empty when it is the first time.

    others and runs: of this service, the incident itself may be among them. Same symptom only; blips and members do not count.
    """
    same, runs = _same(incident, others, now), tuple(runs)
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


def likely(incident: Incident, others: Iterable[Incident], now: float, tz: tzinfo) -> str:
    """A guess from the hours of earlier ones, with its numbers; empty without 4 of them and 75 % within 3 hours."""
    same = _same(incident, others, now)
    if len(same) < 4:
        return ""
    hours = [datetime.fromtimestamp(each.opened_at, tz).hour for each in same]
    first = max(range(24), key=lambda start: (sum(1 for h in hours if (h - start) % 24 < 3), -start))
    inside = sum(1 for h in hours if (h - first) % 24 < 3)
    here = (datetime.fromtimestamp(incident.opened_at, tz).hour - first) % 24 < 3
    if not here or inside < 0.75 * len(same):
        return ""
    return f"something that runs at this hour: {inside} of {len(same)} began between {first:02}:00 and {(first + 3) % 24:02}:00"


def _helper(healed: Incident, runs: Iterable[Run]) -> str:
    """The playbook that healed it. Runs are kept for a day only; the incident remembers its own in the words of its close."""
    mine = (run.playbook for run in runs if run.incident == healed.id and run.outcome is RunOutcome.HEALED)
    return next(mine, healed.reason.removeprefix(HEALED_BY) if healed.reason.startswith(HEALED_BY) else "")


def _same(incident: Incident, others: Iterable[Incident], now: float) -> list[Incident]:
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
