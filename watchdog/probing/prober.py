"""The one hand that asks: each service by its probe, within its deadline, never with an exception."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from recovery.adapters.commands import Command as Program
from recovery.adapters.commands import Finished
from recovery.adapters.commands import run as run_program
from recovery.adapters.processes import ProcessTable
from watchdog.clock import Clock
from watchdog.config.schema import Command, Service
from watchdog.model.observation import Kind, Observation
from watchdog.probing.answer import HttpAnswer
from watchdog.probing.docker import Tells, ask_docker
from watchdog.probing.exec import ask_command
from watchdog.probing.http import HttpProbe, Question
from watchdog.probing.lines import one_line
from watchdog.probing.process import Looks, ask_process
from watchdog.probing.tcp import ask_tcp
from watchdog.probing.verdict import judge
from watchdog.resolve import Resolver


@dataclass(frozen=True, slots=True)
class _Ready:
    """What is worked out once per service and configuration."""

    service: Service
    declared: frozenset[str]
    question: Question | None


def _no_container(_name: str) -> Tells | None:
    """Nothing runs in Docker here."""
    return None


class Prober:
    """The port `Prober` of the decisions.

    runtimes: the runtime of a service by its name, None without one; containers: likewise, of those in Docker. commands: those of
    the configuration; `use` after a reload.
    """

    def __init__(
        self,
        clock: Clock,
        runtimes: Callable[[str], Looks | None],
        commands: Mapping[str, Command],
        *,
        containers: Callable[[str], Tells | None] = _no_container,
        table: ProcessTable | None = None,
        resolver: Resolver | None = None,
    ) -> None:
        self._clock = clock
        self._runtimes = runtimes
        self._containers = containers
        self._commands = commands
        self._table = table
        self._resolver = resolver or Resolver(clock)
        self._http = HttpProbe(clock, self._resolver)
        self._ready: dict[str, _Ready] = {}

    async def ask(self, service: Service) -> Observation:
        """One question, answered within `service.deadline`. A fault of ours is `unknown` and never an illness of the service."""
        try:
            ready = self._ready.get(service.name)
            if ready is None or ready.service is not service:
                ready = self.prepare(service)
            if ready.question is not None:
                return judge(await self._http.ask(ready.question), ready.declared, service.probe.map, self._clock.now())
            return await self._other(ready)
        except Exception as error:  # noqa: BLE001 - our own errors never become a target's state
            return self._our_fault(error)

    def begin(self, service: Service, told: Callable[[Observation], None]) -> Callable[[], None] | None:
        """`ask` without a task (`decisions/asker.Direct`): for a plain http address whose service was asked before."""
        ready = self._ready.get(service.name)
        if ready is None or ready.service is not service or ready.question is None:
            return None
        try:
            return self._http.begin(ready.question, partial(self._answered, ready, told))
        except Exception:  # noqa: BLE001 - `ask` meets the same and says so
            return None

    def _answered(self, ready: _Ready, told: Callable[[Observation], None], answer: HttpAnswer) -> None:
        try:
            seen = judge(answer, ready.declared, ready.service.probe.map, self._clock.now())
        except Exception as error:  # noqa: BLE001 - as in `ask`
            seen = self._our_fault(error)
        told(seen)

    def _our_fault(self, error: Exception) -> Observation:
        return Observation(self._clock.now(), Kind.UNKNOWN, one_line(f"could not ask: {type(error).__name__}: {error}"))

    def use(self, commands: Mapping[str, Command]) -> None:
        """The commands of a new configuration."""
        self._commands = commands

    def forget(self, name: str) -> None:
        """A removed service, or one whose runtime or probe changed."""
        self._ready.pop(name, None)

    async def close(self) -> None:
        await self._http.close()

    def prepare(self, service: Service) -> _Ready:
        """Work out once what every check of it needs; `ask` does so when nobody did. Raises for a URL that cannot be asked."""
        url = service.probe.http
        question = self._http.question(url, service.deadline) if url else None
        ready = _Ready(service, frozenset((*service.depends_on, *service.apis)), question)
        self._ready[service.name] = ready
        return ready

    async def _other(self, ready: _Ready) -> Observation:
        service = ready.service
        if service.probe.tcp:
            return await ask_tcp(service.probe.tcp, service.deadline, self._clock, self._resolver)
        if service.probe.docker:
            return await ask_docker(self._containers(service.name), service.deadline, self._clock)
        if service.probe.process:
            return await ask_process(self._runtimes(service.name), service.deadline, self._clock)
        command = self._commands.get(service.probe.exec or "")
        if command is None:
            return Observation(self._clock.now(), Kind.MISCONFIGURED, f"there is no command '{service.probe.exec}'")
        program = Program(command.argv, command.user)
        return await ask_command(program, service.deadline, self._clock, self._run, ready.declared)

    async def _run(self, command: Program, timeout: float, env: Mapping[str, str]) -> Finished:
        if self._table is None:
            self._table = ProcessTable(self._clock)
        return await run_program(command, timeout, self._table, self._clock, env)
