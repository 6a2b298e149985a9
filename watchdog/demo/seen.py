"""What can be seen of the fleet at one moment: the daemon's own status, its store, and what the bots wrote themselves. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recovery.model import Run, RunOutcome
from watchdog.model.incident import Incident, Stage, Tier
from watchdog.model.records import Notice, NoticeKind
from watchdog.model.service import State

Doc = Mapping[str, Any]
"""The entry of a service in `watchdogctl status -o json`."""

BRING_UP = "bring-up"


@dataclass(frozen=True, slots=True)
class Seen:
    """at: wall seconds. services: by name. incidents, runs, notices: oldest first. starts: by name, counted by the bots."""

    at: float
    services: Mapping[str, Doc] = field(default_factory=dict)
    incidents: tuple[Incident, ...] = ()
    runs: tuple[Run, ...] = ()
    notices: tuple[Notice, ...] = ()
    starts: Mapping[str, int] = field(default_factory=dict)

    def state(self, name: str) -> str:
        return str(self.services[name]["state"]) if name in self.services else State.UNKNOWN.value

    def ok(self, *names: str) -> bool:
        """All answer well, and no incident of theirs is open."""
        return all(self.state(name) == State.OK and self.incident(name) is None for name in names)

    def up(self, name: str) -> bool:
        """Its first start is over and proved."""
        return any(run.service == name and run.outcome is RunOutcome.HEALED for run in self.runs)

    def incident(self, name: str) -> Incident | None:
        """The open one."""
        return next((each for each in self.incidents if each.service == name and each.open), None)

    def last_incident(self, name: str) -> Incident | None:
        return next((each for each in reversed(self.incidents) if each.service == name), None)

    def stage(self, name: str) -> Stage | None:
        incident = self.incident(name)
        return incident.stage if incident is not None else None

    def recoveries(self, name: str) -> tuple[Run, ...]:
        """Its runs without the first start."""
        return tuple(run for run in self.runs if run.service == name and run.playbook != BRING_UP)

    def step(self, name: str, action: str) -> str | None:
        """What that step of its last recovery said; None while it has no outcome."""
        runs = self.recoveries(name)
        steps = runs[-1].steps if runs else ()
        return next((step.detail for step in steps if step.action == action and step.outcome is not None), None)

    def page(self, name: str) -> Notice | None:
        """The critical message about it."""
        found = (n for n in self.notices if n.service == name and n.tier is Tier.CRITICAL and n.kind is NoticeKind.NEW)
        return next(found, None)
