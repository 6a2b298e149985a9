"""`slow`: far from what is usual for this service, for 5 minutes (SPEC 4). For digest and status; it opens no incident."""

from __future__ import annotations

from recovery.units import format_duration
from watchdog.config.schema import Service
from watchdog.model.symptom import Symptom
from watchdog.state.history import History
from watchdog.state.pace import Cause, Slow

LASTING = 300.0
"""Seconds."""


def detect(history: History, service: Service, now: float) -> Symptom | None:  # noqa: ARG001 - one signature for all
    """Measured up to the newest answer: what is not asked is not slow."""
    slow, last = history.slow, history.asked_at
    if slow is None or last is None or last - slow.since < LASTING:
        return None
    return Symptom("slow", slow.since, f"{_text(slow, last)}, for {format_duration(last - slow.since)}")


def _text(slow: Slow, last: float) -> str:
    if slow.cause is Cause.LATENCY:
        return f"answers take {format_duration(slow.now)}, usually {format_duration(slow.usual)}"
    if slow.cause is Cause.PROGRESS:
        return f"progress {_rate(slow.now)}, usually {_rate(slow.usual)}"
    return f"queue grew from {slow.usual:g} to {slow.now:g} in {format_duration(last - slow.begun)}"


def _rate(per_second: float) -> str:
    """`12 a minute`, or by the hour when that is less than one."""
    a_minute = per_second * 60
    return f"{a_minute:.3g} a minute" if a_minute >= 1 or a_minute == 0 else f"{a_minute * 60:.3g} an hour"
