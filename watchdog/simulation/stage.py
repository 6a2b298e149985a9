"""Plays a scenario: one life of the daemon after another over the same store and world, until the time is up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from recovery.model import Playbook, Run
from recovery.ports import Runtime
from recovery.registry import Registry
from watchdog.app import App, Hands, build
from watchdog.config.schema import Mode, Service, Settings
from watchdog.decisions.ports import Record
from watchdog.errors import Refused
from watchdog.reports.gather import Records
from watchdog.reports.slow import slow_of
from watchdog.simulation.expectations import Happening
from watchdog.simulation.fakes import FakeNetwork, FakeOutside, FakeProber, FakeRuntime, Recorder
from watchdog.simulation.scenario import Change, Operator, Scenario, Verb
from watchdog.simulation.telegram import channels
from watchdog.simulation.timeline import Rows
from watchdog.simulation.virtual import VirtualClock
from watchdog.simulation.witness import Witness
from watchdog.simulation.world import World
from watchdog.state.store.writer import SqliteStore

T = TypeVar("T")

OPERATOR = "operator"
"""Who asks, in the rows that follow from an operator's wish."""

PID = 4711
"""What the daemon says of itself; the real number would differ from run to run."""


class Stage:
    """rows: what the product wrote. acts: what operators asked for. broken: tasks of the product that failed, by name.

    slow: what was slow at the end, and how.
    """

    def __init__(
        self, scenario: Scenario, settings: Settings, playbooks: Mapping[str, Playbook], registry: Registry, clock: VirtualClock
    ) -> None:
        self._scenario, self._settings, self._playbooks, self._registry = scenario, settings, playbooks, registry
        self.clock = clock
        self.rows = Rows()
        self.acts: list[Happening] = []
        self.broken: dict[str, int] = {}
        self.slow: dict[str, str] = {}
        self._app: App | None = None
        self._crashes: list[float] = []
        self._boots = 0
        self._crashed = asyncio.Event()
        self._asked: set[asyncio.Task[None]] = set()
        self._store = SqliteStore.open(":memory:", inline=True)
        self._world = World(scenario, settings.services, clock, self._wanted)

    async def play(self) -> None:
        """From 0 to `until`, then everything is let go."""
        story = asyncio.create_task(self._world.play())
        end = asyncio.create_task(self.clock.sleep(self._scenario.until + 0.001))
        try:
            while not end.done():
                await self._life(end)
            if story.done():
                story.result()
        finally:
            for task in (story, end, *self._asked):
                task.cancel()
            await asyncio.gather(story, end, *self._asked, return_exceptions=True)
            await self._store.close()

    async def _life(self, end: asyncio.Task[None]) -> None:
        """One life of the daemon: until the end, or a crash and the pause after it."""
        witness = Witness(self._store, lambda: self._world.store, self._saw)
        self._app = app = build(self._settings, self._playbooks, self._hands(witness), self._registry)
        self._crashed.clear()
        life = asyncio.create_task(app.run())
        crash = asyncio.create_task(self._crashed.wait())
        try:
            await asyncio.wait({life, crash, end}, return_when=asyncio.FIRST_COMPLETED)
            if life.done():
                life.result()
            self.slow = slow_of(app.status())
        finally:
            witness.die()
            self._app = None
            for task in (life, crash):
                task.cancel()
            await asyncio.gather(life, crash, return_exceptions=True)
            for name, count in app.tasks.failures.items():
                self.broken[name] = self.broken.get(name, 0) + count
        if self._crashes and not end.done():
            back = asyncio.create_task(self.clock.sleep(self._crashes.pop(0)))
            await asyncio.wait({back, end}, return_when=asyncio.FIRST_COMPLETED)
            back.cancel()

    def _hands(self, witness: Witness) -> Hands:
        world, clock = self._world, self.clock
        runtimes: dict[str, FakeRuntime] = {}

        def runtime(service: Service) -> Runtime | None:
            if service.runtime is None:
                return None
            return runtimes.setdefault(service.name, FakeRuntime(world.bots[service.name], clock))

        return Hands(
            clock=clock,
            store=witness,
            prober=FakeProber(world, clock),
            runtimes=runtime,
            outside=FakeOutside(world, clock),
            sender=Recorder(),
            channels=lambda alerts: channels(alerts, lambda: world.telegram),
            network=FakeNetwork(world),
            docks=lambda _host: world.engine,
            loaded=self._store.reader().load(clock.now()),
            archive=self._archive,
            boot=f"simulated {self._boots}",
            pid=PID,
            spread=self._scenario.spread,
        )

    async def _archive(self, question: Callable[[Records], T]) -> T:
        return question(self._store.reader())

    def _saw(self, record: Record) -> None:
        self.rows.see(record)
        if type(record) is Run:
            self._world.follow(record)

    def _wanted(self, change: Change) -> None:
        if change.crash is not None:
            self._crashes.append(change.crash)
            self._boots += change.boot
            if change.mode is not None:
                self._settings = replace(self._settings, mode=Mode(change.mode))
            self._crashed.set()
        if change.operator is not None and not self._world.by_hand(change.operator):
            task = asyncio.get_running_loop().create_task(self._ask(change.operator))
            self._asked.add(task)
            task.add_done_callback(self._asked.discard)

    async def _ask(self, wish: Operator) -> None:
        """What watchdogctl would ask over the socket; the answer stands in the timeline."""
        await self.clock.sleep(0)
        at = self.clock.monotonic()
        try:
            if self._app is None:
                raise Refused("the daemon does not run")
            if wish.verb in {Verb.PAUSE, Verb.REMOVE, Verb.DEPLOY}:
                raise Refused(f"{wish.service} is no container")
            answer = await self._app.desk.act(wish.verb.value, self._args(self._app, wish), OPERATOR)
            outcome, text = "ok", str(answer.get("text", ""))
        except Refused as refusal:
            outcome, text = "refused", str(refusal)
        told = {"outcome": outcome, "text": text}
        self.acts.append(Happening(at, "operator", wish.service, wish.verb.value, self.clock.monotonic(), data=told))

    @staticmethod
    def _args(app: App, wish: Operator) -> dict[str, object]:
        name = None if wish.service in {"any", "*"} else wish.service
        card = app.fleet.cards.get(name or "")
        incident = card.incident if card is not None else next(iter(app.fleet.host.values()), None)
        if wish.verb is Verb.ACK:
            if incident is None:
                raise Refused(f"{wish.service} has no open incident")
            return {"id": incident.id}
        if wish.verb in {Verb.APPROVE, Verb.REJECT}:
            if card is None or card.approval is None:
                raise Refused(f"no run of {wish.service} waits for approval")
            return {"run": card.approval.run}
        return {"service": name, "for": wish.seconds, "reason": ""}
