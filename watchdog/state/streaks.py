"""How often in a row: the counts over /health (SPEC 4). Times are wall seconds of the first check of each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from watchdog.model.observation import Kind, Observation
from watchdog.state.checks import KEPT


class Repeat(NamedTuple):
    """An error type that `times` checks in a row have listed."""

    type: str
    times: int
    since: float


@dataclass(frozen=True, slots=True)
class Streaks:
    """Counts of the newest checks. window: how many of the kept checks belong to the windows that began with the last start.

    critical_own: criticals in a row that blame more than declared dependencies or APIs. degraded: likewise own ones only.
    misconfigured: in a row, whatever could not be asked between them. starting_since: it has said `starting` ever since.
    """

    window: int = 0
    failing: int = 0
    failing_since: float | None = None
    critical: int = 0
    critical_own: int = 0
    critical_since: float | None = None
    degraded: int = 0
    degraded_since: float | None = None
    errors: tuple[Repeat, ...] = ()
    misconfigured: int = 0
    starting_since: float | None = None


OK = Kind.OK
_CLEAN = tuple(Streaks(window=size) for size in range(KEPT + 1))

ZERO = _CLEAN[0]
"""Counts that start anew."""


def advance(streaks: Streaks, observation: Observation, errors: tuple[str, ...]) -> Streaks:
    """The counts after one more check that counts. A healthy answer costs no new value."""
    window = streaks.window + 1 if streaks.window < KEPT else KEPT
    kind, at = observation.kind, observation.at
    if kind is OK:
        clean = _CLEAN[window]
        return replace(clean, errors=_repeats(streaks, errors, at)) if errors else clean
    if kind is Kind.CRITICAL:
        return Streaks(
            window=window,
            critical=streaks.critical + 1,
            critical_own=0 if observation.excused else streaks.critical_own + 1,
            critical_since=streaks.critical_since if streaks.critical else at,
            errors=_repeats(streaks, errors, at),
        )
    if kind is Kind.DEGRADED:
        own = not observation.excused
        return Streaks(
            window=window,
            degraded=streaks.degraded + 1 if own else 0,
            degraded_since=(streaks.degraded_since if streaks.degraded else at) if own else None,
            errors=_repeats(streaks, errors, at),
        )
    return Streaks(
        window=window,
        failing=streaks.failing + 1,
        failing_since=streaks.failing_since if streaks.failing else at,
    )


def beside(streaks: Streaks, observation: Observation) -> Streaks:
    """The counts after an answer that counts neither way: only its own kind is counted."""
    if observation.kind is Kind.MISCONFIGURED:
        return replace(streaks, misconfigured=streaks.misconfigured + 1, starting_since=None)
    if observation.kind is Kind.STARTING:
        since = streaks.starting_since
        return replace(streaks, misconfigured=0, starting_since=observation.at if since is None else since)
    return streaks


def _repeats(streaks: Streaks, errors: tuple[str, ...], at: float) -> tuple[Repeat, ...]:
    if not errors:
        return ()
    before = {repeat.type: repeat for repeat in streaks.errors}
    return tuple(Repeat(t, before[t].times + 1, before[t].since) if t in before else Repeat(t, 1, at) for t in errors)
