"""The composition root: the only file that knows every room. `build` wires the same core for the daemon and for the simulator."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog

from recovery.engine import Engine
from recovery.load import from_source
from recovery.model import Playbook, Run
from recovery.ports import Outside, Runtime
from recovery.registry import Registry, discover
from recovery.yaml import YamlError
from watchdog.alerts.channel import Channels
from watchdog.alerts.outbox import Care, Outbox
from watchdog.clock import Clock, MindfulClock
from watchdog.config.schema import Alerts, Service, Settings
from watchdog.decisions.asker import Asker
from watchdog.decisions.bringup import BringUp
from watchdog.decisions.cards import new_card, new_fleet
from watchdog.decisions.chronicle import Chronicle
from watchdog.decisions.containers import Containers
from watchdog.decisions.deeds import Deeds
from watchdog.decisions.desk import Answer, Desk
from watchdog.decisions.engines import Engines
from watchdog.decisions.fleet import Card
from watchdog.decisions.hand import Hand
from watchdog.decisions.healer import Healer
from watchdog.decisions.hours import Hours
from watchdog.decisions.isolation import Isolation
from watchdog.decisions.journal import RunJournal
from watchdog.decisions.lives import Lives
from watchdog.decisions.loop import Loop
from watchdog.decisions.measure import Measure
from watchdog.decisions.ports import Archive, Dock, Loaded, Network, Prober, Sender, Store
from watchdog.decisions.post import Post
from watchdog.decisions.recall import absence
from watchdog.decisions.reconfigure import Reconfigure
from watchdog.decisions.reporter import Reporter
from watchdog.decisions.scribe import Scribe
from watchdog.decisions.speaker import Speaker
from watchdog.decisions.stages import Stages
from watchdog.decisions.status import status
from watchdog.decisions.storms import Storms
from watchdog.decisions.watch import Watch
from watchdog.decisions.wishes import Wish
from watchdog.errors import Refused
from watchdog.model.records import Meta, Notice
from watchdog.probing.rounds import Rounds
from watchdog.reports.nights import is_page
from watchdog.scheduler.loop import KEYS, Builder, Scheduler
from watchdog.scheduler.periods import Kind
from watchdog.state.rollup import Rollups
from watchdog.tasks import Tasks

_log = structlog.get_logger(__name__)


def _no_beat(_mono: float) -> None:
    """Nobody listens for the beat of the loop."""


def _no_channels(_alerts: Alerts) -> Channels:
    """Nobody is told but the log."""
    return Channels()


def _no_dice() -> float:
    """The middle: no wait is longer or shorter than the rule."""
    return 0.5


def _nobody_cares() -> None:
    """Nobody looks for services among the containers."""


@dataclass(frozen=True, slots=True)
class Hands:
    """What touches the world: real in `hands.py`, fake in `simulation/`.

    runtimes: the runtime of a service, None for one that is only watched. docks: the Docker engine behind a socket.
    spread: checks are spread over their interval.
    boot: identity of this boot of the host. host_load: how it is doing, in words. strangers: told when containers come and go.
    loaded: what the store remembers. archive: what it holds of the past. channels: where people read, by the configuration.
    dice: a number in [0, 1).
    """

    clock: Clock
    store: Store
    prober: Prober
    runtimes: Callable[[Service], Runtime | None]
    outside: Outside
    sender: Sender
    network: Network
    docks: Callable[[str], Dock]
    loaded: Loaded
    archive: Archive
    boot: str
    pid: int = 0
    spread: bool = True
    reload: Callable[[], Awaitable[Answer]] | None = None
    beat: Callable[[float], None] = _no_beat
    host_load: Callable[[], str] = str
    strangers: Callable[[], None] = _nobody_cares
    channels: Callable[[Alerts], Channels] = _no_channels
    dice: Callable[[], float] = _no_dice


class App:
    """The wired core. `run` never returns by itself; cancel it to end, and what is open stays journalled as open."""

    def __init__(self, settings: Settings, playbooks: Mapping[str, Playbook], hands: Hands, registry: Registry) -> None:
        self.clock = clock = MindfulClock(hands.clock, self._clock_stepped)
        now = clock.now()
        self.hands = hands
        self.tasks = Tasks(clock)
        self.post = Post(hands.sender, clock)
        self.fleet = new_fleet(settings, playbooks, hands.runtimes, hands.boot, hands.loaded, now)
        self.last_page_at = max((n.at for n in hands.loaded.notices if is_page(n)), default=None)
        self.scribe = Scribe(hands.store, self.fleet, clock, self._noticed)
        self.chronicle = Chronicle(self.fleet, self.scribe)
        self.speaker = Speaker(self.fleet, self.chronicle, hands.host_load)
        care = Care(lambda: self.fleet.zone, lambda text: self.speaker.remark(text, clock.now()), hands.dice)
        self.outbox = Outbox(hands.channels(settings.alerts), settings.alerts, self.scribe, clock, care)
        self.rounds = Rounds(spread=hands.spread)
        rollups = Rollups()
        wish = self._carry_out
        self.stages = Stages(self.fleet, self.chronicle, wish, self.speaker.last_word)
        self.watch = Watch(self.fleet, self.chronicle, self.stages, rollups, wish, self.speaker.note)
        asker = Asker(self.fleet, self.watch, hands.prober, hands.network, clock, self._network_is, self._ask_now)
        engine = Engine(registry, clock, RunJournal(self.fleet, self.chronicle, self.watch, clock))
        self.healer = Healer(
            self.fleet,
            self.chronicle,
            self.stages,
            self.watch,
            asker,
            engine,
            hands.outside,
            clock,
            self.tasks.spawn,
            self.speaker.note,
        )
        self.storms = Storms(self.fleet, self.chronicle, self.speaker, wish, self.healer.call_back_untouched)
        self.hours = Hours(self.fleet, self.chronicle, self.stages, self.watch, wish)
        self.isolation = Isolation(self.fleet, self.chronicle, self.speaker)
        self.loop = Loop(
            self.fleet, self.hours, self.storms, self.speaker, asker, self.healer, self.rounds, rollups, self.scribe, clock,
            self.tasks.spawn, hands.beat,
        )  # fmt: skip
        self.lives = Lives(self.fleet, self.watch, clock, self.tasks.spawn)
        self.measure = Measure(self.fleet, self.chronicle, self.watch, clock)
        self.bringup = BringUp(self.fleet, self.watch, self.healer, clock, self.tasks.spawn, partial(_remake, registry))
        self.engines = Engines(self.fleet, self.chronicle, self.speaker)
        self.hand = Hand(self.fleet, self.chronicle, self.stages, self.watch)
        self.deeds = Deeds(
            self.fleet, self.watch, self.hand, hands.docks, self.bringup.again, clock, self.tasks.spawn
        )  # fmt: skip
        self.containers = Containers(
            self.fleet, self.chronicle, self.watch, self.deeds, self.engines, hands.docks, clock, self.tasks.spawn,
            partial(self.tasks.keep, ends=True), wish, hands.strangers, hands.loaded,
        )  # fmt: skip
        self.reconfigure = Reconfigure(self.fleet, self.chronicle, self.watch, self.stages, clock, new_card, self._refollow)
        self.desk = Desk(
            self.fleet, self.chronicle, self.watch, self.hours, self.storms, self.healer, clock, self.status,
            {"reload": hands.reload or _no_reload, "notify_test": self.outbox.trial},
        )  # fmt: skip
        self.scheduler = self._scheduler()
        self.tasks.on_alarm = self.alarm
        self.scribe.on_trouble = self._store_trouble
        self.scribe.on_lost = self._store_lost

    def _scheduler(self) -> Scheduler:
        """A report is one builder here and one rule of the reporter."""
        reporter = Reporter(self.fleet, self.hands.archive, self.status)
        builders: Mapping[Kind, Builder] = {Kind.DIGEST: reporter.digest}
        return Scheduler(
            builders, reporter.rules, lambda: self.fleet.zone, self.scribe, self.speaker.report, self.speaker.remark, self.clock
        )

    def alarm(self, text: str) -> None:
        """A critical word about the watchdog itself."""
        self.speaker.alert(text, self.clock.now())

    def _store_trouble(self, text: str) -> None:
        self.alarm(f"🔴 The store cannot be written: {text}. Checks and alerts go on; nothing is healed.")

    def _clock_stepped(self, seconds: float, now: float) -> None:
        _log.warning("clock_stepped", seconds=round(seconds))
        self.hours.clock_stepped(seconds, now)
        self.scheduler.stepped(seconds)

    def _store_lost(self, why: str) -> None:
        self.scribe.put(Meta("boot_id", self.hands.boot))
        self.chronicle.everything(self.clock.now())
        self.scheduler.write()
        self.alarm(f"🔴 The watchdog's file was lost while it ran: {why.rstrip('.')}. What is open was written again.")

    def _carry_out(self, wish: Wish) -> None:
        """The loop is made last, and knows everybody."""
        self.loop.carry_out(wish)

    def _ask_now(self, name: str) -> None:
        self.rounds.soon(name, self.clock.monotonic())
        self.fleet.stir.set()

    def _network_is(self, up: bool) -> None:
        self.isolation.told(up=up, now=self.clock.now())

    def status(self, name: str | None = None) -> dict[str, Any]:
        return status(self.fleet, self.hands.pid, self.last_page_at, self.outbox.reach(), self.clock.now(), name)

    async def run(self) -> None:
        """Settles what an earlier life left open, brings up what is new, then watches for ever."""
        clock, loaded = self.clock, self.hands.loaded
        booted = loaded.meta.get("boot_id", self.hands.boot) != self.hands.boot
        self.scribe.put(Meta("boot_id", self.hands.boot))
        self.scribe.put(Meta("started_at", repr(clock.now())))
        self.scribe.put(Meta("pid", str(self.hands.pid)))
        self.scribe.put(Meta("mode", str(self.fleet.settings.mode.value)))
        self.scheduler.remember(loaded.meta.get(KEYS), clock.now())
        if (away := absence(loaded, self.fleet.started_at)) is not None:
            self.scribe.put(away)
        self.speaker.remember(list(loaded.notices))
        self.post.take_all(loaded.notices, self.outbox.remember(loaded.letters, loaded.notices, loaded.chats))
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self.tasks.keep(self.scribe.keep, "scribe"))
                group.create_task(self.tasks.keep(lambda: self.post.deliver(self.scribe), "post"))
                group.create_task(self.tasks.keep(self.outbox.run, "outbox"))
                await self.containers.begin()
                await self.bringup.begin(booted=booted)
                self.rounds.set(self.fleet.settings.services, clock.monotonic())
                self.lives.follow_all()
                self.containers.follow_all()
                group.create_task(self.tasks.keep(self.measure.run, "measure"))
                group.create_task(self.tasks.keep(self.loop.run, "loop"))
                group.create_task(self.tasks.keep(self.scheduler.run, "scheduler"))
        finally:
            await self.tasks.cancel()

    async def reload(self, settings: Settings, playbooks: Mapping[str, Playbook]) -> str:
        """A valid file takes over; services are matched by name and keep their state (SPEC 3). What changed, in words."""
        self.outbox.use(self.hands.channels(settings.alerts), settings.alerts)
        return await self.reconfigure.apply(settings, playbooks, self.hands.runtimes)

    async def _refollow(self, added: list[Card]) -> None:
        self.rounds.set(self.fleet.settings.services, self.clock.monotonic())
        self.lives.follow_all()
        await self.containers.meet()
        self.containers.follow_all()
        for card in added:
            await self.bringup.bring(card)

    def _acked(self, notice: Notice) -> bool:
        """Somebody has seen it: no more sound (SPEC 11)."""
        card = self.fleet.cards.get(notice.service)
        incident = card.incident if card is not None else None
        return incident is not None and incident.id == notice.incident and incident.acked

    def _noticed(self, notice: Notice) -> None:
        self.post.take(notice, carried=self.outbox.take(notice, muted=self._acked(notice)))
        if is_page(notice):
            self.last_page_at = notice.at


def build(settings: Settings, playbooks: Mapping[str, Playbook], hands: Hands, registry: Registry | None = None) -> App:
    """The whole wiring."""
    return App(settings, playbooks, hands, registry if registry is not None else discover())


def _remake(registry: Registry, run: Run) -> Playbook | None:
    """None when this version does not understand the stored steps any more."""
    try:
        return from_source(run.source, run.playbook, registry)
    except YamlError:
        return None


async def _no_reload() -> Answer:
    raise Refused("there is no file to reload")
