"""`oom`: killed for memory more than three times in an hour (SPEC 4). A person is needed; fewer are noted only.

Its supervisor brings it back after each; a restart of ours would add nothing. Counted are the engine's own events, a child's too.
"""

from __future__ import annotations

from recovery.units import format_duration
from watchdog.config.schema import Service
from watchdog.model.symptom import Symptom
from watchdog.state.history import History
from watchdog.state.load import drawn

ALLOWED = 3
"""Kills."""

WINDOW = 3600.0
"""Seconds."""


def detect(history: History, service: Service, now: float) -> Symptom | None:  # noqa: ARG001 - one signature for all
    """Starts do not clear it, nor do good answers: it will happen again. A clock set back does not hide it."""
    kills = [at for at in history.life.ooms if abs(now - at) < WINDOW]
    if len(kills) <= ALLOWED:
        return None
    curve = drawn(history.life.load, now)
    text = f"killed for memory {len(kills)} times in {format_duration(kills[-1] - kills[0])}" + (f"; {curve}" if curve else "")
    return Symptom("oom", kills[0], text, person=True)
