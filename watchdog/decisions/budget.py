"""How often a service may be healed, and how soon again (SPEC 5, budget and parked). Times wall seconds, all from the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recovery.model import Playbook, Run, RunOutcome
from recovery.units import format_duration
from watchdog.config.schema import Guards
from watchdog.decisions.moments import ends

GENTLE = 3600.0
"""Seconds between two gentle restarts (SPEC 4, degraded)."""

LONGEST = 86400.0
"""Seconds: the longest wait of a parked service for its next attempt."""

DAY = 86400.0
WAKES = 3
"""Attempts a day that healthy dependencies may give a parked service."""

CALLED_BACK = frozenset({RunOutcome.INTERRUPTED, RunOutcome.HELD, RunOutcome.SUPERSEDED})


@dataclass(frozen=True, slots=True)
class Spent:
    """count runs of `of` allowed in a sliding window of `per` seconds. free_at: when one more is allowed; None: now."""

    count: int
    of: int
    per: float
    free_at: float | None = None

    @property
    def left(self) -> int:
        return max(0, self.of - self.count)

    @property
    def words(self) -> str:
        """`1 of 3 this hour`."""
        return f"{self.count} of {self.of} {'this hour' if self.per == 3600 else 'in ' + format_duration(self.per)}"


def spent(runs: Iterable[Run], guards: Guards, now: float) -> Spent:
    """What of the budget is used: runs with effect restart or destructive, healed or not, neither refunded nor gentle."""
    count, per = guards.budget.count, guards.budget.seconds
    free = sorted(
        until
        for run in runs
        if run.charged and not run.refunded and not run.gentle and run.effect.charged
        if (until := ends(run.started_at, per, now)) is not None
    )
    return Spent(len(free), count, per, free[len(free) - count] if len(free) >= count else None)


def cooldown_until(runs: Iterable[Run], playbook: Playbook, guards: Guards, now: float) -> float | None:
    """When this playbook may run again, from the start of its last run; None: now. A run that came to nothing does not count."""
    cooldown = guards.cooldown if playbook.cooldown is None else playbook.cooldown
    ups = (ends(run.started_at, cooldown, now) for run in runs if run.playbook == playbook.name and not _void(run))
    return max((until for until in ups if until is not None), default=None)


def gentle_free_at(runs: Iterable[Run], now: float) -> float | None:
    """When one more gentle restart is allowed, once an hour; None: now."""
    ups = (ends(run.started_at, GENTLE, now) for run in runs if run.gentle and not _void(run))
    return max((until for until in ups if until is not None), default=None)


def rearm_delay(attempts: int, rearm_after: float) -> float:
    """Seconds until a parked service gets its next attempt: `rearm_after` (1 h), then 2, 4 ... 24 h."""
    longest = max(LONGEST, rearm_after)
    return min(longest, rearm_after * 2.0 ** min(max(attempts, 0), 32))


def may_wake(woken: Sequence[float], now: float) -> bool:
    """A dependency that turned healthy gives a parked service an attempt, at most three a day. woken: when it did before."""
    return sum(1 for at in woken if ends(at, DAY, now) is not None) < WAKES


def _void(run: Run) -> bool:
    """Refunded, or called back before it touched anything."""
    return run.refunded or (run.outcome in CALLED_BACK and not run.touched)
