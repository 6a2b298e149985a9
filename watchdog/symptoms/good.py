"""A good answer: what proof, recovery and unparking count (SPEC 4)."""

from __future__ import annotations

from collections.abc import Collection

from watchdog.model.observation import Kind, Observation


def good(observation: Observation, symptom: str | None = None, repeated: Collection[str] = ()) -> bool:
    """Not failing, not critical, and in itself free of the incident's symptom; an answer that counts neither way is not good.

    symptom: the incident's, None while it has none. repeated: the error types of a `degraded` incident (`degraded.repeated`).
    """
    if observation.kind is Kind.OK:
        return symptom != "degraded" or not repeated or not _lists(observation, repeated)
    return observation.kind is Kind.DEGRADED and symptom != "degraded"


def _lists(observation: Observation, types: Collection[str]) -> bool:
    report = observation.report
    return report is not None and any(error.type in types and error.count_1h != 0 for error in report.errors)
