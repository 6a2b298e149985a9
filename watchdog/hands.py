"""The real hands: clock, store, prober, runtimes, commands, network and the log, for a configuration that may change."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from random import Random
from typing import Any, TypeVar

from recovery.adapters.commands import Command, OutsideWorld
from recovery.adapters.docker_host import DockerHost
from recovery.adapters.launching import ProcessSpec
from recovery.adapters.processes import ProcessTable
from recovery.breaker import Breakers
from recovery.ports import Runtime
from recovery.runtimes.docker import DockerRuntime
from recovery.runtimes.process import ProcessRuntime
from watchdog.alerts.log import LogSender
from watchdog.alerts.ways import Ways
from watchdog.app import Hands
from watchdog.clock import Clock
from watchdog.config.container import DOCKER_LOG
from watchdog.config.schema import Runtime as Way
from watchdog.config.schema import Service, Settings
from watchdog.config.secrets import Secret
from watchdog.facts.boot import boot_id
from watchdog.facts.connectivity import reachable
from watchdog.facts.discovery import Discovery
from watchdog.facts.dock import EngineDock
from watchdog.facts.host import load
from watchdog.facts.network import OwnNetwork
from watchdog.probing.prober import Prober
from watchdog.reports.gather import Records
from watchdog.state.store.open import Opened
from watchdog.state.store.writer import SqliteStore

T = TypeVar("T")


class World:
    """What a configuration names on this host. A reload gives it the new settings; what did not change is kept."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.settings, self._clock = settings, clock
        self._table = ProcessTable(clock)
        self._breakers = Breakers(clock.monotonic)
        self._runtimes: dict[str, tuple[Way, Runtime]] = {}
        self._hosts: dict[str, DockerHost] = {}
        self._docks: dict[str, EngineDock] = {}
        self._discovery = Discovery(clock)
        self.ways = Ways(clock.monotonic)
        self.prober = Prober(clock, self._runtime_named, settings.commands, containers=self._container_named, table=self._table)

    def runtime(self, service: Service) -> Runtime | None:
        """The same object for the same way of running: it knows the instance that it follows."""
        if service.runtime is None:
            self._runtimes.pop(service.name, None)
            return None
        known = self._runtimes.get(service.name)
        if known is None or known[0] != service.runtime:
            known = self._runtimes[service.name] = (service.runtime, self._new(service, service.runtime))
        return known[1]

    def _new(self, service: Service, way: Way) -> Runtime:
        logs = tuple(log for log in service.logs if str(log) != DOCKER_LOG)
        if way.docker is not None:
            return DockerRuntime(way.docker.name, self._host(way.docker.host), self._table, self._clock, logs)
        process = way.process
        if process is None:
            raise ValueError(f"{service.name} has a runtime of no kind")
        spec = ProcessSpec(
            start=process.start,
            pidfile=process.pidfile,
            cwd=process.cwd,
            env={key: each.reveal() if isinstance(each, Secret) else each for key, each in process.env.items()},
            user=process.user,
        )
        return ProcessRuntime(service.name, spec, self.settings.state.dir, self._clock, self._table, logs=logs)

    def dock(self, socket: str) -> EngineDock:
        """The Docker engine behind a socket, as decisions see it."""
        if socket not in self._docks:
            self._docks[socket] = EngineDock(self._host(socket))
        return self._docks[socket]

    async def extended(self, settings: Settings) -> tuple[Settings, tuple[str, ...]]:
        """The settings with the containers that want to be watched; and what is wrong with their labels."""
        if settings.discovery is None:
            return settings, ()
        return await self._discovery.extend(settings, self._host(settings.discovery.docker))

    @property
    def discovered(self) -> str:
        """What discovery knows, to be kept for the next life of the daemon."""
        return self._discovery.memory()

    def recall(self, discovered: str) -> None:
        """What an earlier life has kept."""
        self._discovery.recall(discovered)

    def _host(self, socket: str) -> DockerHost:
        if socket not in self._hosts:
            self._hosts[socket] = DockerHost(self._clock, f"unix://{socket}")
        return self._hosts[socket]

    async def close(self) -> None:
        """Ends what is open to the engines."""
        await self.ways.close()
        for host in self._hosts.values():
            await host.close()

    def _runtime_named(self, name: str) -> Runtime | None:
        known = self._runtimes.get(name)
        return known[1] if known is not None else None

    def _container_named(self, name: str) -> DockerRuntime | None:
        runtime = self._runtime_named(name)
        return runtime if isinstance(runtime, DockerRuntime) else None

    def use(self, settings: Settings) -> None:
        """The settings of a reload."""
        for name in self.settings.services.keys() - settings.services.keys():
            self.prober.forget(name)
            self._runtimes.pop(name, None)
        self.settings = settings
        self.prober.use(settings.commands)

    async def run_command(self, name: str, service: str, timeout: float) -> str:
        """`recovery.ports.Outside`, with the commands of today's configuration."""
        return await self._outside().run_command(name, service, timeout)

    async def http_call(self, url: str, timeout: float) -> str:
        return await self._outside().http_call(url, timeout)

    def _outside(self) -> OutsideWorld:
        commands = {name: Command(command.argv, command.user) for name, command in self.settings.commands.items()}
        return OutsideWorld(commands, self._table, self._clock, self._breakers)

    def targets(self) -> Sequence[str]:
        return self.settings.connectivity.targets


class Archive:
    """`decisions/ports.Archive`: on a thread of its own, since years of history may be looked through."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    async def __call__(self, question: Callable[[Records], T]) -> T:
        return await asyncio.to_thread(self._ask, question)

    def _ask(self, question: Callable[[Records], T]) -> T:
        with self._store.reader() as reader:
            return question(reader)


def real(
    world: World,
    opened: Opened,
    clock: Clock,
    reload: Callable[[], Awaitable[dict[str, Any]]],
    beat: Callable[[float], None],
    strangers: Callable[[], None],
) -> Hands:
    """All hands of the daemon."""
    return Hands(
        clock=clock,
        store=opened.store,
        prober=world.prober,
        runtimes=world.runtime,
        outside=world,
        sender=LogSender(),
        docks=world.dock,
        network=OwnNetwork(world.targets, reachable, clock),
        loaded=opened.loaded,
        archive=Archive(opened.store),
        boot=boot_id(),
        pid=os.getpid(),
        reload=reload,
        beat=beat,
        strangers=strangers,
        channels=world.ways.of,
        dice=Random().random,  # noqa: S311  it spreads waits, and guards no secret
        host_load=lambda: load(world.settings.state.dir),
    )
