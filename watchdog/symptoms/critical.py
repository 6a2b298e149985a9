"""`critical`: the service calls itself critical twice in a row (SPEC 4)."""

from __future__ import annotations

from watchdog.config.schema import Service
from watchdog.model.symptom import Symptom
from watchdog.state.history import History
from watchdog.state.phrases import times

CONFIRM = 2
"""In a row; the second answer is asked for after 5 s."""


def detect(history: History, service: Service, now: float) -> Symptom | None:  # noqa: ARG001 - one signature for all
    """Excused unless the last two both blame more than declared dependencies or APIs; the newest reason counts."""
    streaks = history.streaks
    if streaks.critical < CONFIRM or streaks.critical_since is None or not history.checks:
        return None
    newest = history.checks[-1]
    said = newest.reason or newest.detail
    text = f"critical {times(streaks.critical)}"
    excused = streaks.critical_own < CONFIRM
    return Symptom("critical", streaks.critical_since, f"{text}: {said}" if said else text, newest.reason, excused)
