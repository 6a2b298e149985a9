"""`flapping`: at least 5 of the last 10 checks fail, but never enough of them in a row to be `unresponsive` (SPEC 4)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from watchdog.config.fields import Threshold
from watchdog.config.schema import Service
from watchdog.model.symptom import Symptom
from watchdog.state.checks import Check
from watchdog.state.history import History
from watchdog.state.phrases import by_number, finding

FAILING = 5
"""Of the last ten checks."""


def detect(history: History, service: Service, now: float) -> Symptom | None:  # noqa: ARG001 - one signature for all
    """Only while it goes on: once enough good answers in a row have come, the window tells of the past.

    One unbroken row of failing checks is never flapping, however patient `thresholds.unresponsive` is.
    """
    window = history.streaks.window
    if history.good >= service.healthy or window < FAILING:
        return None
    checks = history.checks[-window:]
    failing = [check for check in checks if check.failing]
    if len(failing) < FAILING:
        return None
    rows = [list(row) for bad, row in groupby(checks, key=lambda check: check.failing) if bad]
    if len(rows) < 2 or any(_unresponsive(row, service.thresholds.unresponsive) for row in rows):
        return None
    found = by_number([finding(check) for check in failing])
    return Symptom("flapping", failing[0].at, f"flapping: {len(failing)} of the last {len(checks)} checks failed ({found})")


def _unresponsive(row: Sequence[Check], limit: Threshold) -> bool:
    if limit.count is not None:
        return len(row) >= limit.count
    return limit.seconds is not None and row[-1].at - row[0].at >= limit.seconds
