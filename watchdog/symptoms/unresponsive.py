"""`unresponsive`: failing checks in a row, as many as `thresholds.unresponsive` says or for as long as it says (SPEC 4)."""

from __future__ import annotations

from watchdog.config.schema import Service
from watchdog.model.observation import Kind
from watchdog.model.symptom import Symptom
from watchdog.state.checks import Check
from watchdog.state.history import History
from watchdog.state.phrases import counted, finding, in_order


def detect(history: History, service: Service, now: float) -> Symptom | None:  # noqa: ARG001 - one signature for all
    """A time is measured from the first failing outcome to the newest: silence that was seen, not silence of ours."""
    streaks, limit = history.streaks, service.thresholds.unresponsive
    since = streaks.failing_since
    if since is None or not history.checks:
        return None
    if limit.count is not None:
        reached = streaks.failing >= limit.count
    else:
        reached = limit.seconds is not None and streaks.failing > 1 and history.checks[-1].at - since >= limit.seconds
    return Symptom("unresponsive", since, _text(streaks.failing, history.checks)) if reached else None


def _text(number: int, checks: tuple[Check, ...]) -> str:
    row = checks[-number:]
    found = [finding(check) for check in row]
    if len(set(found)) == 1:
        return f"{counted(number, found[0])} in a row" if number > 1 else found[0]
    silent = all(check.kind is Kind.NO_ANSWER for check in row)
    return f"{number} checks without {'an' if silent else 'a usable'} answer: {in_order(found)}"
