"""What a report is made from: rows of the store, gathered by the caller into one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from recovery.model import Run
from watchdog.model.incident import Incident
from watchdog.model.records import Hold, Notice, Segment
from watchdog.model.service import State


@dataclass(frozen=True, slots=True)
class Planned:
    """A stretch in which trouble was expected: maintenance. Wall seconds."""

    service: str
    since: float
    until: float


@dataclass(frozen=True, slots=True)
class Material:
    """titles: every configured service by name. states: as they are at the end of the period.

    incidents, runs: of the last 14 days at least, for comparisons. segments, notices, planned: of the period. holds: all that
    touch the period; the service `*` is all services. slow: what is slow at the end of the period, and how, by name.
    """

    titles: Mapping[str, str]
    states: Mapping[str, State] = field(default_factory=dict)
    incidents: tuple[Incident, ...] = ()
    runs: tuple[Run, ...] = ()
    segments: tuple[Segment, ...] = ()
    holds: tuple[Hold, ...] = ()
    notices: tuple[Notice, ...] = ()
    planned: tuple[Planned, ...] = ()
    slow: Mapping[str, str] = field(default_factory=dict)
