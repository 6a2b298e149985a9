"""The symptoms that no answer tells of: CPU and memory. A good answer does not mean that they are over (SPEC 4)."""

from __future__ import annotations

from collections.abc import Mapping

from watchdog.config.schema import Service
from watchdog.model.symptom import Symptom
from watchdog.state.history import History
from watchdog.symptoms import cpu_spin, memory
from watchdog.symptoms.diagnose import Detector

DETECTORS: Mapping[str, Detector] = {"memory": memory.detect, "cpu_spin": cpu_spin.detect}


def overloaded(history: History, service: Service, now: float) -> Symptom | None:
    """The first of them in the order in which they are treated."""
    if history.life.load.calm:
        return None
    return next((found for detect in DETECTORS.values() if (found := detect(history, service, now)) is not None), None)


def lasts(symptom: str | None, history: History, service: Service, now: float) -> bool:
    """The symptom of an incident goes on, however good the answer."""
    detect = DETECTORS.get(symptom or "")
    return detect is not None and detect(history, service, now) is not None
