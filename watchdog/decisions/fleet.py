"""What the loop holds in memory: one card per service, and what concerns them all. Data only; no rule reads a clock here."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from zoneinfo import ZoneInfo

from recovery.model import Playbook, Run
from recovery.ports import Runtime
from watchdog.alerts.causes import Change
from watchdog.config.schema import Service, Settings
from watchdog.decisions.leash import Leash
from watchdog.decisions.situation import Approval, Parking, Pause
from watchdog.decisions.stir import Stir
from watchdog.decisions.storm import Storm
from watchdog.graph.build import Graph
from watchdog.model.container import ByHand
from watchdog.model.decision import Decision
from watchdog.model.incident import Incident, Stage
from watchdog.model.records import Hold
from watchdog.state.history import History

STORM, NETWORK = "storm", "network"
"""The symptoms of the host: many turned bad at once; our own way out is closed."""

DOCKER = "docker"
"""The service of its own on which it is found that an engine does not answer, and the name of that symptom."""

SOON, LATER, QUIET = 1.0, 10.0, 60.0
"""Seconds between two looks at everything while something is going on, is only waited for, or nothing is."""

HOST = "host"
"""The service of its own on which storms and our own network are found (SPEC 4)."""


@dataclass(slots=True)
class Active:
    """A run at work. good: an answer of its proof was good. resumed: it began in an earlier life of the daemon."""

    run: Run
    playbook: Playbook
    leash: Leash
    good: bool = False
    resumed: bool = False
    done: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True)
class Fresh:
    """A question to a dependency beside its turns; answered_at is None while it is out."""

    asked_at: float
    answered_at: float | None = None


@dataclass(slots=True)
class Card:
    """Everything known of one service. Times wall seconds.

    stormed: belonged to a storm that is over and is not good yet. well: fit to be depended on; well_as: which instance was.
    stretch: good answers in a row. amnesty: runs before it are not charged, a person asked for a full budget.
    told, tell_at: what messages last looked at, and when they must again. look_at: before it time changes no decision.
    boot: the boot of the host in which it was last seen to run.
    scolded: people know that its check is misconfigured. signs: what was found in this incident, how often in a row.
    owed: the dependency after whose restart this one must restart too. log: its last lines, read when a run failed.
    by_hand: what somebody did to its container and left it in. touched: what somebody is doing to it right now, not judged yet.
    changes: what somebody changed about it lately. version: as it told of itself last.
    past: closed incidents of the last 30 days, newest last. bouts: when which symptom was confirmed, of the last hour.
    """

    service: Service
    history: History
    runtime: Runtime | None
    leaves_host: bool = False
    incident: Incident | None = None
    last: Incident | None = None
    decision: Decision | None = None
    runs: tuple[Run, ...] = ()
    active: Active | None = None
    hold: Hold | None = None
    by_hand: ByHand | None = None
    touched: str = ""
    parking: Parking | None = None
    approval: Approval | None = None
    rung: str = ""
    reconnect: Pause | None = None
    fresh: Fresh | None = None
    well: bool = True
    stormed: bool = False
    stretch: int = 0
    bringing_up: bool = False
    owed: str = ""
    boot: str = ""
    remark: str = ""
    scolded: bool = False
    signs: tuple[tuple[str, int], ...] = ()
    well_as: str = ""
    log: tuple[str, ...] = ()
    told: Incident | None = None
    tell_at: float = 0.0
    look_at: float = 0.0
    amnesty: float = 0.0
    past: tuple[Incident, ...] = ()
    changes: tuple[Change, ...] = ()
    version: str = ""
    bouts: tuple[tuple[float, str], ...] = ()
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def name(self) -> str:
        return self.service.name

    @property
    def container(self) -> str:
        """The name of its Docker container; "" for anything else."""
        runtime = self.service.runtime
        return runtime.docker.name if runtime is not None and runtime.docker is not None else ""

    @property
    def engine(self) -> str:
        """The socket of its Docker engine; "" for anything else."""
        runtime = self.service.runtime
        return runtime.docker.host if runtime is not None and runtime.docker is not None else ""

    @property
    def stopped(self) -> str:
        """Who stopped it on purpose, in words; "" when nobody did."""
        if self.hold is not None and self.hold.stop:
            return f"stopped by {self.hold.by}"
        return self.by_hand.words if self.by_hand is not None else ""

    @property
    def busy(self) -> bool:
        """Time alone may change something about it."""
        pending = (self.incident, self.active, self.hold, self.by_hand, self.reconnect, self.parking, self.owed or None)
        return self.bringing_up or any(each is not None for each in pending)

    @property
    def haste(self) -> float:
        """What is parked or waits for a person changes by the hour."""
        moving = self.active or self.reconnect or self.owed or self.approval or self.bringing_up
        quiet = self.incident is None or self.incident.stage in {Stage.PARKED, Stage.PERSON}
        resting = quiet and self.incident is self.told
        return SOON if moving or not resting or (self.parking is not None and self.parking.chance) else LATER

    @property
    def charges(self) -> tuple[Run, ...]:
        """The runs that count against budgets and cooldowns."""
        return tuple(run for run in self.runs if run.started_at >= self.amnesty)


@dataclass(slots=True)
class Fleet:
    """All cards and what concerns them all. settle_until: nothing but bring-up is acted on before (SPEC 5).

    engines_down: since when which Docker engine does not answer.
    explained: who is bad and does not count for a storm.
    gathering: members of what may become a storm while their dependencies are asked.
    host: the open incidents of the host itself by symptom: `storm`, `network`, `docker`. host_decisions: the newest, by service.
    bad: first bad sign of the present bad stretch of each service that is bad. at_work: the runs that are.
    turns: how often somebody turned bad or good.
    stir: set when something began that the loop must not sleep through.
    """

    settings: Settings
    playbooks: Mapping[str, Playbook]
    graph: Graph
    cards: dict[str, Card]
    started_at: float
    settle_until: float = 0.0
    settle_why: str = ""
    host: dict[str, Incident] = field(default_factory=dict)
    host_decisions: dict[str, Decision] = field(default_factory=dict)
    storm: Storm | None = None
    gathering: frozenset[str] = frozenset()
    explained: frozenset[str] = frozenset()
    network_down: float | None = None
    engines_down: dict[str, float] = field(default_factory=dict)
    store_trouble: str = ""
    boot: str = ""
    config_errors: tuple[str, ...] = ()
    playbook_errors: tuple[str, ...] = ()
    config_loaded_at: float = 0.0
    next_incident: int = 1
    next_run: int = 1
    next_notice: int = 1
    bad: dict[str, float] = field(default_factory=dict)
    at_work: dict[str, Active] = field(default_factory=dict)
    _awake: set[str] = field(default_factory=set)
    _roused: tuple[Card, ...] | None = None
    turns: int = 0
    stir: Stir = field(default_factory=Stir)

    @property
    def haste(self) -> float:
        """Seconds until everything is worth another look: something goes on, something is only waited for, nothing at all."""
        if self.host or self.store_trouble or self.at_work:
            return SOON
        calmest = SOON if self.bad and not self.roused else LATER if self.roused else QUIET
        return next((SOON for card in self.roused if card.haste == SOON), calmest)

    def rouse(self, card: Card) -> None:
        """Time alone may change something about it from now on."""
        if card.name not in self._awake:
            self._awake.add(card.name)
            self._roused = None
        self.stir.set()

    def let_sleep(self, name: str) -> None:
        """Only events can change something about it now."""
        if name in self._awake:
            self._awake.discard(name)
            self._roused = None

    @property
    def roused(self) -> tuple[Card, ...]:
        """Those whom time may change, in the order of the configuration."""
        if self._roused is None:
            self._roused = tuple(card for name, card in self.cards.items() if name in self._awake) if self._awake else ()
        return self._roused

    def turn_bad(self, name: str, at: float) -> None:
        """Its first bad sign; later ones of the same stretch change nothing."""
        if name not in self.bad:
            self.bad[name] = at
            self.turns += 1

    def turn_good(self, name: str) -> None:
        if self.bad.pop(name, None) is not None:
            self.turns += 1

    @property
    def engines(self) -> tuple[str, ...]:
        """The sockets of the Docker engines that services run in, or are looked for in."""
        looked = self.settings.discovery.docker if self.settings.discovery is not None else ""
        return tuple(dict.fromkeys(socket for socket in (looked, *(card.engine for card in self)) if socket))

    def of_engine(self, host: str) -> tuple[Card, ...]:
        """The services that run in this engine."""
        return tuple(card for card in self if card.engine == host)

    @property
    def zone(self) -> tzinfo:
        """The zone of clock times."""
        return ZoneInfo(self.settings.timezone)

    def __iter__(self) -> Iterator[Card]:
        return iter(self.cards.values())

    @property
    def observing(self) -> bool:
        return self.settings.mode == "observe"

    def settle(self, now: float, why: str) -> None:
        """Nothing but bring-up is acted on for `guards.settle` from now."""
        self.settle_until, self.settle_why = now + self.settings.guards.settle, why

    @property
    def working(self) -> int:
        """Runs at work that are not proving: what `guards.concurrent` limits."""
        return sum(1 for active in self.at_work.values() if active.run.proving_at is None)

    @property
    def alike(self) -> Mapping[str, int]:
        """The same by playbook."""
        return Counter(active.run.playbook for active in self.at_work.values() if active.run.proving_at is None)

    def put_to_work(self, card: Card, active: Active | None) -> None:
        """A run has begun on this service, or is over."""
        card.active = active
        if active is not None:
            self.at_work[card.name] = active
        else:
            self.at_work.pop(card.name, None)

    def upstream(self, name: str) -> tuple[Card, ...]:
        """The cards of all dependencies, direct or not, nearest first."""
        from_graph = self.graph.upstream(name)
        return tuple(self.cards[n] for n in from_graph if n in self.cards)
