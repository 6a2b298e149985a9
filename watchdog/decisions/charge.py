"""Step 6, budget: how often, how soon again, how many at once (SPEC 5)."""

from __future__ import annotations

from recovery.model import Playbook
from recovery.units import format_duration
from watchdog.decisions.budget import cooldown_until, gentle_free_at, spent
from watchdog.decisions.select import pick
from watchdog.decisions.situation import Situation
from watchdog.model.decision import Ruling, Step, Verdict
from watchdog.model.symptom import SOFT


def budget(situation: Situation, now: float) -> Ruling:
    """Parks when the budget is spent; waits for cooldown, for a free place, and in the soft queue."""
    playbook = pick(situation).playbook
    if playbook is None:
        return Ruling(Step.BUDGET, Verdict.PASS, "nothing to charge")
    parking = situation.parking
    if parking is not None and not parking.chance:
        return Ruling(Step.BUDGET, Verdict.WAIT, "parked; the next attempt comes by itself", until=parking.next_at)
    over = _overspent(situation, playbook, now) if parking is None else None
    return over or _places(situation, playbook, now) or _affordable(situation, playbook, now)


def _overspent(situation: Situation, playbook: Playbook, now: float) -> Ruling | None:
    cooled = cooldown_until(situation.runs, playbook, situation.guards, now)
    if cooled is not None:
        return Ruling(Step.BUDGET, Verdict.WAIT, f"cooldown of {playbook.name}", until=cooled)
    if playbook.gentle:
        if not situation.service.thresholds.degraded_restart:
            return Ruling(Step.BUDGET, Verdict.WAIT, "thresholds.degraded_restart is false: a degraded service is not restarted")
        free = gentle_free_at(situation.runs, now)
        if free is not None:
            return Ruling(Step.BUDGET, Verdict.WAIT, "one gentle restart an hour", until=free)
        return None
    if not playbook.effect.charged:
        return None
    used = spent(situation.runs, situation.guards, now)
    if used.count >= used.of:
        words = f"{used.count} of {used.of} restarts in {format_duration(situation.guards.budget.seconds)} are used up"
        return Ruling(Step.BUDGET, Verdict.ESCALATE, words, until=used.free_at, park=True)
    return None


def _places(situation: Situation, playbook: Playbook, now: float) -> Ruling | None:
    limit = situation.guards.concurrent
    if situation.working >= limit:
        return Ruling(Step.BUDGET, Verdict.WAIT, f"{situation.working} recoveries at work, {limit} at a time")
    alike = situation.alike.get(playbook.name, 0)
    if playbook.concurrent is not None and alike >= playbook.concurrent:
        return Ruling(Step.BUDGET, Verdict.WAIT, f"{alike} of {playbook.name} at work, {playbook.concurrent} at a time")
    if situation.symptom.name in SOFT and situation.soft_busy:
        return Ruling(Step.BUDGET, Verdict.WAIT, f"soft queue: {situation.soft_busy} goes first")
    return None


def _affordable(situation: Situation, playbook: Playbook, now: float) -> Ruling:
    if situation.parking is not None:
        return Ruling(Step.BUDGET, Verdict.PASS, f"parked; one attempt: {situation.parking.chance}")
    used = spent(situation.runs, situation.guards, now)
    window = format_duration(situation.guards.budget.seconds)
    return Ruling(Step.BUDGET, Verdict.PASS, f"{used.count} of {used.of} in {window}; no cooldown")
