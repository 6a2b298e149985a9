"""The whole core with fake hands, for films in virtual time: what is said here is all that differs from the daemon."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from recovery.load import load_playbooks
from recovery.model import Playbook
from recovery.ports import Runtime
from recovery.registry import discover
from tests.fakes.dock import FakeDock, Person
from tests.fakes.ledger import Ledger
from tests.fakes.prober import FakeProber
from tests.fakes.runtime import FakeClock, FakeOutside, FakeRuntime
from watchdog.app import App, Hands, build
from watchdog.config.container import DOCKER_SOCKET
from watchdog.config.load import from_values
from watchdog.config.schema import Service, Settings
from watchdog.decisions.fleet import Active, Card
from watchdog.model.incident import Incident, Tier
from watchdog.model.observation import Kind, Observation, Report
from watchdog.model.records import Notice
from watchdog.state.dealings import JUDGED

REGISTRY = discover()
BOOKS: Mapping[str, Playbook] = load_playbooks((), REGISTRY).books

PID = 4711


def settings(services: Mapping[str, Mapping[str, Any]], **more: Any) -> Settings:
    """Each service has a /health and a plain process unless it says otherwise (`runtime: None`: watched only)."""
    return from_values({"services": {name: _service(name, own) for name, own in services.items()}, **more})


def _service(name: str, own: Mapping[str, Any]) -> dict[str, Any]:
    full = {"probe": {"http": "http://127.0.0.1:8101/health"}, "runtime": {"process": {"start": [name]}}, **own}
    return {key: value for key, value in full.items() if value is not None}


def says(kind: Kind, detail: str = "", reason: str | None = None, **more: Any) -> Observation:
    """An answer for the prober; its moment is set when it is given."""
    report = Report(reason=reason) if reason is not None else None
    return Observation(0.0, kind, detail, 0.003, report=report, **more)


class Mailbox:
    """`decisions/ports.Sender`: closed for as long as the film wants. tried: every attempt."""

    def __init__(self) -> None:
        self.open = True
        self.got: list[Notice] = []
        self.tried: list[Notice] = []

    async def send(self, notice: Notice) -> bool:
        self.tried.append(notice)
        if self.open:
            self.got.append(notice)
        return self.open


class Wire:
    """`decisions/ports.Network`."""

    def __init__(self) -> None:
        self.there = True

    async def up(self) -> bool:
        return self.there


class Crew:
    """Everything that the composition root wires, and the fakes in its hands. One life of the daemon after another.

    services: their own keys by name. more: other keys of the configuration, and `books` (more playbooks), `boot` (the identity of
    the boot), `spread` (checks are spread over their interval, as in the daemon). Built inside a running (virtual) loop.
    """

    def __init__(self, services: Mapping[str, Mapping[str, Any]] | str = "bot", **more: Any) -> None:
        self.services = {services: {}} if isinstance(services, str) else dict(services)
        self.clock = FakeClock()
        self.ledger = Ledger()
        self.mail, self.wire, self.outside = Mailbox(), Wire(), FakeOutside()
        self.docks: dict[str, FakeDock] = {}
        self.strangers = 0
        self.runtimes: dict[str, FakeRuntime] = {}
        self.prober = FakeProber(self.clock, self.runtimes)
        self.books: Mapping[str, Playbook] = {**BOOKS, **more.pop("books", {})}
        self.boot: str = more.pop("boot", "b00t")
        self.spread: bool = more.pop("spread", False)
        self.more = {"guards": {"settle": "0s"}, **more}
        self.settings = settings(self.services, **self.more)
        self.app = self._build()

    def _build(self) -> App:
        now = self.clock.now()
        hands = Hands(
            clock=self.clock,
            store=self.ledger,
            prober=self.prober,
            runtimes=self.runtime,
            outside=self.outside,
            sender=self.mail,
            network=self.wire,
            docks=self.dock,
            loaded=self.ledger.load(now),
            archive=self.ledger.archive,
            boot=self.boot,
            pid=PID,
            spread=self.spread,
            strangers=self._strangers,
        )
        return build(self.settings, self.books, hands, REGISTRY)

    def _strangers(self) -> None:
        self.strangers += 1

    def runtime(self, service: Service) -> Runtime | None:
        """The same fake for the same way of running, as the real hands do."""
        if service.runtime is None:
            return None
        runtime = self.runtimes.setdefault(service.name, FakeRuntime(self.clock))
        if service.runtime.docker is not None:
            runtime.kind, runtime.hindsight = "docker", JUDGED
        return runtime

    def dock(self, socket: str = DOCKER_SOCKET) -> FakeDock:
        """The Docker engine behind a socket."""
        return self.docks.setdefault(socket, FakeDock(self.clock))

    def person(self, name: str = "bot", socket: str = DOCKER_SOCKET) -> Person:
        """Somebody at the command line of Docker."""
        return Person(self.clock, self.dock(socket), self.runtimes[name], name)

    def next_life(self) -> None:
        """The daemon was killed -9 and is started again on the same store."""
        self.ledger.crash()
        self.app = self._build()

    @asynccontextmanager
    async def at_work(self, *, broken: bool = False) -> AsyncIterator[App]:
        """The daemon lives inside the block. broken: tasks of the product may fail in this film."""
        app = self.app
        life = asyncio.create_task(app.run())
        try:
            await self.wait(0.0)
            yield app
            if life.done():
                life.result()
            assert broken or not app.tasks.failures, app.tasks.failures
        finally:
            life.cancel()
            await asyncio.gather(life, return_exceptions=True)

    async def wait(self, seconds: float) -> None:
        await self.clock.sleep(seconds)

    async def until(self, so: Callable[[], bool], limit: float = 3600.0) -> None:
        """Waits until it is so, looked at each tenth of a second."""
        end = self.clock.monotonic() + limit
        while not so():
            assert self.clock.monotonic() < end, f"not so within {limit:g} s"
            await self.clock.sleep(0.1)

    def card(self, name: str = "bot") -> Card:
        return self.app.fleet.cards[name]

    def active(self, name: str = "bot") -> Active:
        """Its run at work; there must be one."""
        found = self.card(name).active
        assert found is not None
        return found

    def last(self, name: str = "bot") -> Incident:
        """Its incident that was closed last; there must be one."""
        found = self.card(name).last
        assert found is not None
        return found

    def touched(self, name: str = "bot") -> bool:
        """A run is at work and has touched its target."""
        active = self.card(name).active
        return active is not None and active.run.touched

    def deeds(self, name: str = "bot") -> list[str]:
        """What was done to the process."""
        return self.runtimes[name].deeds

    def incident(self, name: str = "bot") -> Incident:
        """Its open incident; there must be one."""
        found = self.card(name).incident
        assert found is not None
        return found

    def observe(self, kind: Kind, times: int = 1, name: str = "bot", **more: Any) -> None:
        """Answers without a prober, each now."""
        for _ in range(times):
            card = self.card(name)
            report = Report(reason=more["reason"]) if "reason" in more else None
            seen = Observation(self.clock.now(), kind, more.get("detail", ""), 0.003, report=report)
            self.app.watch.observe(card, seen)

    def told(self, tier: Tier | None = None) -> list[str]:
        """What was delivered, in the order of delivery."""
        return [notice.text for notice in self.mail.got if tier is None or notice.tier is tier]

    async def ask(self, verb: str, **args: Any) -> dict[str, Any]:
        """What a person asks for at the desk."""
        return await self.app.desk.act(verb, {key.rstrip("_"): value for key, value in args.items()}, "anna")
