"""`memory`: its processes hold more memory than `thresholds.memory` allows, all the time for so long (SPEC 4)."""

from __future__ import annotations

from recovery.units import format_duration, format_size
from watchdog.config.schema import Service
from watchdog.model.symptom import Symptom
from watchdog.state.history import History
from watchdog.state.load import Load


def detect(history: History, service: Service, now: float) -> Symptom | None:  # noqa: ARG001 - one signature for all
    """Measured up to the newest reading: what is not measured is not above. Resident memory, of the whole process tree."""
    load, limit = history.life.load, service.thresholds.memory
    if limit is None or load.memory_since is None or load.at - load.memory_since < limit.for_:
        return None
    lasted = format_duration(load.at - load.memory_since)
    text = f"memory {format_size(load.memory)}, above {format_size(limit.above)} for {lasted}{_grew(load)}"
    return Symptom("memory", load.memory_since, text)


def _grew(load: Load) -> str:
    """From where within the last hour: a leak is told from a bot that was always so big."""
    at, size = min(load.curve, key=lambda point: point[1], default=(load.at, load.memory))
    return f", from {format_size(size)} {format_duration(load.at - at)} ago" if at < load.at and size < load.memory / 2 else ""
