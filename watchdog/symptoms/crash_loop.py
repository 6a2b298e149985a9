"""`crash_loop`: more than 3 exits in 10 minutes that nobody asked for (SPEC 4). A person is needed."""

from __future__ import annotations

from recovery.units import format_duration
from watchdog.config.schema import Service
from watchdog.model.symptom import Symptom
from watchdog.state.history import History
from watchdog.state.life import exit_words

ALLOWED = 3
"""Exits."""

WINDOW = 600.0
"""Seconds."""


def detect(history: History, service: Service, now: float) -> Symptom | None:
    """Over once it answers well again often enough. Exits survive starts; a clock set back does not hide them."""
    if history.good >= service.healthy:
        return None
    exits = [end for end in history.life.exits if not end.ours and abs(now - end.at) < WINDOW]
    if len(exits) <= ALLOWED:
        return None
    first, last = exits[0], exits[-1]
    text = f"{len(exits)} exits in {format_duration(last.at - first.at)}, the last: {exit_words(last.code)}"
    return Symptom("crash_loop", first.at, text, person=True)
