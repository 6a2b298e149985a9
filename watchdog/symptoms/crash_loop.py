"""`crash_loop`: more than 3 exits in 10 minutes that nobody asked for (SPEC 4). A person is needed.

Kills for memory are counted by `oom`, whose message says more.
"""

from __future__ import annotations

from recovery.units import format_duration
from watchdog.config.schema import Service
from watchdog.model.symptom import Symptom
from watchdog.state.history import History
from watchdog.state.life import End, exit_words

ALLOWED = 3
"""Exits."""

WINDOW = 600.0
"""Seconds."""

CAUSED = 5.0
"""Seconds between a kill for memory and the end that belongs to it."""


def detect(history: History, service: Service, now: float) -> Symptom | None:
    """Over once it answers well again often enough. Exits survive starts; a clock set back does not hide them."""
    if history.good >= service.healthy:
        return None
    exits = [end for end in history.life.exits if not end.ours and abs(now - end.at) < WINDOW and not _starved(history, end)]
    if len(exits) <= ALLOWED:
        return None
    first, last = exits[0], exits[-1]
    text = f"{len(exits)} exits in {format_duration(last.at - first.at)}, the last: {exit_words(last.code)}"
    return Symptom("crash_loop", first.at, text, person=True)


def _starved(history: History, end: End) -> bool:
    return any(abs(end.at - at) < CAUSED for at in history.life.ooms)
