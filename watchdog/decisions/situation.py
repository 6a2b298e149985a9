"""Everything a rule may look at, frozen, gathered once per decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from recovery.model import Playbook, Run
from watchdog.config.schema import Guards, Service
from watchdog.model.container import ByHand
from watchdog.model.records import Hold
from watchdog.model.symptom import Symptom


@dataclass(frozen=True, slots=True)
class Dependency:
    """What is known of one dependency, direct or not. well is None until its fresh answer is in.

    why: one line; incident: its open incident, if any; level: 0 for a service that needs nothing.
    """

    name: str
    well: bool | None
    why: str
    incident: int | None = None
    level: int = 0


@dataclass(frozen=True, slots=True)
class World:
    """Host and world as far as they concern this service. Times wall seconds.

    storm: the words for a storm of which it is a member. network: why our own network is held for down, for a service whose
    checks leave the host. docker: why the engine of its container is. store: why nothing can be journalled. bad and total: how
    many services are bad now, of how many.
    """

    storm: str = ""
    network: str = ""
    docker: str = ""
    store: str = ""
    bad: int = 0
    total: int = 0
    storm_at: int = 0


@dataclass(frozen=True, slots=True)
class Pause:
    """Why acting waits for a reason of start-up: settling, reconnecting or startup grace."""

    reason: str
    until: float


@dataclass(frozen=True, slots=True)
class Parking:
    """since and attempts at re-arming; next_at: the next attempt by time. woken: dependency re-arms of the last day."""

    since: float
    attempts: int = 0
    next_at: float = 0.0
    woken: tuple[float, ...] = ()
    chance: str = ""

    def shifted(self, seconds: float) -> Parking:
        """After the wall clock was set."""
        woken = tuple(at + seconds for at in self.woken)
        return replace(self, since=self.since + seconds, next_at=self.next_at + seconds, woken=woken)


@dataclass(frozen=True, slots=True)
class Approval:
    """A run that waits for a person's yes. outcome: None, `approved`, `rejected` or `expired`."""

    run: int
    playbook: str
    asked_at: float
    expires_at: float
    outcome: str | None = None
    told: bool = False


@dataclass(frozen=True, slots=True)
class Situation:
    """One service that has a symptom, and all that may speak for or against acting on it.

    working: runs at work that are not proving; alike: the same by playbook. soft_busy: what goes before a soft recovery.
    """

    service: Service
    symptom: Symptom
    guards: Guards
    playbooks: Mapping[str, Playbook]
    observing: bool = False
    world: World = World()
    hold: Hold | None = None
    maintenance_until: float | None = None
    acked: bool = False
    by_hand: ByHand | None = None
    touched: str = ""
    dependencies: tuple[Dependency, ...] = ()
    named: str = ""
    reconnect: Pause | None = None
    settle: Pause | None = None
    grace: Pause | None = None
    started_at: float | None = None
    runs: tuple[Run, ...] = ()
    working: int = 0
    alike: Mapping[str, int] = field(default_factory=dict)
    soft_busy: str = ""
    parking: Parking | None = None
    rung: str = ""
    approval: Approval | None = None
