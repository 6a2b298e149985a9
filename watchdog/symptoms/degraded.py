"""`degraded`: degraded several checks in a row, or the same error type in 5 in a row (SPEC 4)."""

from __future__ import annotations

from watchdog.config.schema import Service
from watchdog.model.symptom import Symptom
from watchdog.state.history import History
from watchdog.state.phrases import times

SAME_ERROR = 5
"""Checks in a row that list one error type."""


def detect(history: History, service: Service, now: float) -> Symptom | None:  # noqa: ARG001 - one signature for all
    """Excused answers and errors of declared dependencies or APIs were never counted."""
    streaks = history.streaks
    if streaks.degraded >= service.thresholds.degraded and streaks.degraded_since is not None and history.checks:
        newest = history.checks[-1]
        said = newest.reason or newest.detail
        text = f"degraded {times(streaks.degraded)}"
        return Symptom("degraded", streaks.degraded_since, f"{text}: {said}" if said else text, newest.reason)
    worst = max(streaks.errors, key=lambda repeat: repeat.times, default=None)
    if worst is None or worst.times < SAME_ERROR:
        return None
    return Symptom("degraded", worst.since, f"{worst.type} in {worst.times} checks in a row", worst.type)


def repeated(history: History) -> frozenset[str]:
    """The error types that make it degraded by themselves: an answer that lists one of them is not good (see `good`)."""
    return frozenset(repeat.type for repeat in history.streaks.errors if repeat.times >= SAME_ERROR)
