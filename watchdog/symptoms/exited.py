"""`exited`: the process of the service does not run (SPEC 4).

Whether somebody asked for that is judged by the step `operator` of SPEC 5. A plain process has no supervisor to wait for; a
container whose restart policy may still act has one, and while Docker is at work on it, it is not `exited` at all.
"""

from __future__ import annotations

from recovery.units import format_duration
from watchdog.config.schema import Service
from watchdog.model.symptom import Symptom
from watchdog.state.history import History
from watchdog.state.life import exit_words

CONFIRM = 2.0
"""Seconds after the exit was seen, so that a storm is seen first (SPEC 5)."""


def detect(history: History, service: Service, now: float) -> Symptom | None:  # noqa: ARG001 - one signature for all
    """Not muted by startup grace: a process that ended is not starting."""
    life = history.life
    if life.running is not False or life.down_since is None or now - life.down_since < max(CONFIRM, life.patience):
        return None
    seen = next((end for end in reversed(life.exits) if end.at == life.down_since), None)
    how = "not running" if seen is None else "stopped by us" if seen.ours else exit_words(seen.code)
    return Symptom("exited", life.down_since, f"{how}, down for {format_duration(now - life.down_since)}")
