"""The real hands: clock, store, prober, runtimes, commands, network and the log, for a configuration that may change."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from recovery.adapters.commands import Command, OutsideWorld
from recovery.adapters.launching import ProcessSpec
from recovery.adapters.processes import ProcessTable
from recovery.breaker import Breakers
from recovery.ports import Runtime
from recovery.runtimes.process import ProcessRuntime
from watchdog.alerts.log import LogSender
from watchdog.app import Hands
from watchdog.clock import Clock
from watchdog.config.schema import Process, Service, Settings
from watchdog.config.secrets import Secret
from watchdog.facts.boot import boot_id
from watchdog.facts.connectivity import reachable
from watchdog.facts.host import load
from watchdog.facts.network import OwnNetwork
from watchdog.probing.prober import Prober
from watchdog.state.store.open import Opened


class World:
    """What a configuration names on this host. A reload gives it the new settings; what did not change is kept."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.settings, self._clock = settings, clock
        self._table = ProcessTable(clock)
        self._breakers = Breakers(clock.monotonic)
        self._runtimes: dict[str, tuple[Process, Runtime]] = {}
        self.prober = Prober(clock, self._runtime_named, settings.commands, table=self._table)

    def runtime(self, service: Service) -> Runtime | None:
        """The same object for the same way of running: it knows the instance that it follows."""
        if service.runtime is None:
            self._runtimes.pop(service.name, None)
            return None
        known = self._runtimes.get(service.name)
        if known is None or known[0] != service.runtime.process:
            process = service.runtime.process
            spec = ProcessSpec(
                start=process.start,
                pidfile=process.pidfile,
                cwd=process.cwd,
                env={key: each.reveal() if isinstance(each, Secret) else each for key, each in process.env.items()},
                user=process.user,
            )
            runtime = ProcessRuntime(service.name, spec, self.settings.state.dir, self._clock, self._table, logs=service.logs)
            known = self._runtimes[service.name] = (process, runtime)
        return known[1]

    def _runtime_named(self, name: str) -> Runtime | None:
        known = self._runtimes.get(name)
        return known[1] if known is not None else None

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


def real(
    world: World,
    opened: Opened,
    clock: Clock,
    reload: Callable[[], Awaitable[dict[str, Any]]],
    beat: Callable[[float], None],
) -> Hands:
    """All hands of the daemon."""
    return Hands(
        clock=clock,
        store=opened.store,
        prober=world.prober,
        runtimes=world.runtime,
        outside=world,
        sender=LogSender(),
        network=OwnNetwork(world.targets, reachable, clock),
        loaded=opened.loaded,
        boot=boot_id(),
        pid=os.getpid(),
        reload=reload,
        beat=beat,
        host_load=lambda: load(world.settings.state.dir),
    )
