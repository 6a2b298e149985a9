"""All confirmed symptoms of one service, the one to be treated first (SPEC 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

from watchdog.config.schema import Service
from watchdog.model.symptom import FROM_HEALTH, ORDER, Symptom
from watchdog.state.history import History, muted

Detector = Callable[[History, Service, float], Symptom | None]

AFTER = ("slow",)
"""Symptoms that open no incident, behind all that do."""

DETECTORS: tuple[tuple[str, Detector], ...] = tuple(
    (name, import_module(f"watchdog.symptoms.{name}").detect) for name in (*ORDER, *AFTER)
)
"""One file per symptom, found by its name; their order is that of `watchdog.model.symptom`."""


def diagnose(history: History, service: Service, now: float) -> tuple[Symptom, ...]:
    """Startup grace mutes the symptoms that come from /health, never the others. `now`: wall seconds."""
    if _calm(history):
        return ()
    quiet = muted(history, now)
    found = (detect(history, service, now) for name, detect in DETECTORS if not (quiet and name in FROM_HEALTH))
    codes = _codes(history)
    return tuple(
        replace(symptom, codes=codes) if codes and symptom.name in FROM_HEALTH else symptom
        for symptom in found
        if symptom is not None
    )


def _codes(history: History) -> frozenset[str]:
    """What playbooks may ask for as `code` (SPEC 6)."""
    last = history.last
    if last is None:
        return frozenset()
    errors = last.report.errors if last.report is not None else ()
    codes = {error.code for error in errors if error.code is not None and error.count_1h != 0}
    if last.code is not None and not 200 <= last.code < 300:
        codes.add(str(last.code))
    return frozenset(codes)


def _calm(history: History) -> bool:
    """Most services at most times: nothing any detector could name."""
    streaks = history.streaks
    return (
        history.life.running is not False
        and history.slow is None
        and not (history.life.exits or history.life.ooms)
        and history.life.load.calm
        and not (streaks.failing or streaks.critical or streaks.degraded or streaks.errors)
        and not any(check.failing for check in history.checks)
    )
