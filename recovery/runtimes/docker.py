"""A container, by its name (SPEC 3, runtime `docker`): seen and started through the engine, stopped and measured without it.

The engine is never asked to stop or to signal: whatever its API sends, it takes for the wish of a person, and the restart policy
rests until somebody starts the container again. And what needs no engine goes on while it is away.
"""

from __future__ import annotations

import asyncio
import signal as signals
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from recovery.adapters.bot_log import last_lines
from recovery.adapters.cgroups import Cgroup, Cgroups
from recovery.adapters.container_end import ContainerEnd
from recovery.adapters.container_start import PortTaken, start_container, whose_port
from recovery.adapters.docker_host import DockerHost
from recovery.adapters.docker_rows import Inspected, Listed
from recovery.adapters.ending import all_dead
from recovery.adapters.measuring import vitals_of
from recovery.adapters.processes import Held, ProcessTable, hold
from recovery.adapters.procfs import Identity, read_stat
from recovery.adapters.stacks import Spy
from recovery.errors import NeedsPerson, StepError, StepFailed, StepImpossible, Superseded
from recovery.ports import Clock, Life, Sight, Stacks, Usage, Vitals

LOOK_AGAIN = 1.0
"""Seconds between looks at a container that there is no event for."""

GLANCE = 10.0
"""Seconds between looks, while it lives, whether it still is who we follow."""

BUSY_WITHIN = 5.0
"""Seconds for which a start waits for Docker to finish what it is doing."""

PORT_AGAIN = 10.0
"""Seconds after which a taken port is tried once more: its owner may have been ending just then."""


@dataclass(frozen=True, slots=True)
class _Main:
    """The main process of one instance, as it was when it was proved to be that: enough to go on without the engine."""

    instance: str
    container: str
    process: Identity
    group: Cgroup
    stop_signal: str
    fleeting: bool


class DockerRuntime:
    """One container. table, clock: shared. logs: more files to show. groups: where cgroups are shown."""

    kind = "docker"
    hindsight = 1.2

    def __init__(
        self,
        name: str,
        host: DockerHost,
        table: ProcessTable,
        clock: Clock,
        logs: Sequence[Path] = (),
        groups: Cgroups | None = None,
    ) -> None:
        self._name = name
        self._host = host
        self._table = table
        self._clock = clock
        self._logs = logs
        self._groups = groups or Cgroups()
        self._turn = asyncio.Lock()
        self._main: _Main | None = None

    async def look(self) -> Sight:
        return self._sight(await self._inspect())

    async def health(self) -> Listed | None:
        """What Docker itself says of it, from the list that all containers share; None when there is no such container."""
        return (await self._host.listed()).get(self._name)

    async def gone(self, sight: Sight) -> None:
        if not sight.instance:
            return
        while True:
            try:
                main = self._main_of(sight) or await self._met(sight)
                held = self._hold(main) if main is not None else None
                if held is not None:
                    with held:
                        while not await all_dead([held], GLANCE):
                            if self._main is not main:
                                return  # it lives on under another name, and another container bears this one
                return

            except StepFailed:  # the engine is away, or no descriptor is left
                await self._clock.sleep(LOOK_AGAIN)

    async def start(self) -> Sight:
        async with self._turn:
            try:
                return await self._start()
            except PortTaken:
                await self._clock.sleep(PORT_AGAIN)
            try:
                return await self._start()
            except PortTaken as error:
                raise NeedsPerson(await whose_port(self._name, error.port, self._host)) from error

    async def stop(self, sight: Sight, grace: float, *, kill: bool = True) -> str:
        async with self._turn:
            held = await self._taken(sight)
            if held is None:
                return "nothing was running"
            with held:
                main = self._proved(held, sight)
                if main.fleeting:
                    raise NeedsPerson(f"'{self._name}' is not stopped: it was made with --rm, so Docker would remove it")
                end = ContainerEnd(held, main.group, main.stop_signal, self._table.boot_id, self._clock)
                try:
                    return await end.run(grace, kill=kill)
                finally:
                    self._host.forget()

    async def signal(self, sight: Sight, name: str) -> None:
        number = getattr(signals.Signals, f"SIG{name.upper().removeprefix('SIG')}", None)
        if number is None:
            raise StepImpossible(f"there is no signal '{name}'")
        held = await self._taken(sight)
        if held is None:
            raise StepFailed("it does not run")
        with held:
            self._proved(held, sight)
            held.signal(number)

    async def log_tail(self, lines: int) -> Sequence[str]:
        """Of its output; then of each other log file, under its path."""
        try:
            tail = await self._host.logs(self._name, lines)
        except StepFailed as error:
            if not self._logs:
                raise
            tail = [f"its output cannot be read: {error}"]
        for path in self._logs:
            tail += [f"{path}:", *last_lines(path, lines)]
        return tail

    async def vitals(self, sight: Sight) -> Vitals:
        more = await self._chosen(sight)
        main = self._main_of(sight)
        stat = self._table.living(main.process) if main is not None else None
        if main is None or stat is None:
            return Vitals(state="gone", more=more)
        inside = (read_stat(pid) for pid in main.group.members() if pid != stat.pid)
        tree = [stat, *(each for each in inside if each is not None and not each.dead)]
        zombies = (await self._table.snapshot()).uncollected([each.pid for each in tree])
        return replace(vitals_of(stat, tree), zombies=zombies, more=more)

    async def usage(self, sight: Sight) -> Usage | None:
        """Three small files of its cgroup; the engine is not asked."""
        main = self._main_of(sight)
        if main is None or self._table.living(main.process) is None:
            return None
        cpu, memory = main.group.cpu_seconds(), main.group.memory()
        return None if cpu is None or memory is None else Usage(cpu, memory, main.group.limit())

    async def stacks(self, sight: Sight) -> Stacks:
        """From the host, with the pids that the host sees: nothing is needed inside the container."""
        main = self._main_of(sight)
        if main is None:
            raise StepFailed("it does not run any more")
        inside = (read_stat(pid) for pid in {main.process.pid, *main.group.members()})
        tree = [Identity(each.pid, each.start_ticks, self._table.boot_id) for each in inside if each is not None]
        return await Spy(self._table, self._clock).capture(tree)

    async def _inspect(self) -> Inspected | None:
        raw = await self._host.inspect(self._name)
        return None if raw is None else Inspected.read(raw)

    def _sight(self, seen: Inspected | None) -> Sight:
        if seen is None:
            return Sight(Life.GONE, detail=f"there is no container '{self._name}'")
        if seen.status in ("restarting", "removing"):
            words = f"Docker restarts it, exit code {seen.exit_code}" if seen.status == "restarting" else "Docker removes it"
            return Sight(Life.BUSY, exit_code=seen.exit_code, detail=words)
        if seen.status in ("running", "paused") and seen.pid is not None:
            if not self._remember(seen, seen.pid):
                return Sight(Life.BUSY, detail="its process has ended, Docker has yet to notice")
            paused = seen.status == "paused"
            return Sight(Life.RUNNING, seen.instance, seen.pid, seen.started_at, detail="paused" if paused else "", paused=paused)
        # Docker's policy looks after what has run; a container that was only created, or is dead, waits for a person.
        ended = seen.status == "exited"
        code = seen.exit_code if seen.started_at is not None else None
        words = seen.error or (f"exit code {code}" if code is not None else seen.status)
        return Sight(Life.STOPPED, exit_code=code, detail=words, supervised=ended and seen.policy != "no")

    def _remember(self, seen: Inspected, pid: int) -> bool:
        """Whether the main process lives, whatever Docker still says of it; a new one is proved to be the container's."""
        if self._main is not None and self._main.instance == seen.instance:
            return self._table.living(self._main.process) is not None
        stat = read_stat(pid)
        if stat is None or stat.dead:
            return False
        process = Identity(pid, stat.start_ticks, self._table.boot_id)
        group = self._groups.of_container(pid, seen.id)
        if self._table.living(process) is None:
            return False
        if group is None:
            raise StepFailed(f"pid {pid} ({stat.name}) is not in the cgroup of '{self._name}'; that it is the bot is not proved")
        self._main = _Main(seen.instance, seen.id, process, group, seen.stop_signal, seen.fleeting)
        return True

    def _main_of(self, sight: Sight) -> _Main | None:
        """What is remembered of that instance."""
        return self._main if self._main is not None and self._main.instance == sight.instance else None

    async def _met(self, sight: Sight) -> _Main | None:
        """Look for it; None when it does not run any more."""
        now = await self.look()
        return self._main_of(sight) if now.running and now.instance == sight.instance else None

    def _hold(self, main: _Main) -> Held | None:
        return hold(main.process, self._table.boot_id)

    async def _taken(self, sight: Sight) -> Held | None:
        """The main process of that instance in hand; None when it has ended. Superseded: another runs, or somebody paused it."""
        try:
            now = await self.look()
        except StepFailed:
            if self._main_of(sight) is None:
                raise
            now = sight  # the engine, or its part for this container, hangs or is away; what is remembered is proved anyway
        if now.running and now.instance != sight.instance:
            raise Superseded(f"another instance runs, pid {now.pid}")
        main = self._main_of(sight)
        if not now.running or main is None:
            return None
        if now.paused or main.group.frozen():
            raise Superseded("somebody paused it")
        return self._hold(main)

    def _proved(self, held: Held, sight: Sight) -> _Main:
        """The last proof, read after the pidfd and so about that very process: it is in the container's cgroup."""
        main = self._main_of(sight)
        if main is None or main.process != held.identity:
            raise Superseded("another instance was seen meanwhile")
        if self._groups.of_container(held.identity.pid, main.container) is None:
            raise StepFailed(f"pid {held.identity.pid} ({held.name}) is not in the container's cgroup; it is left alone")
        return main

    async def _start(self) -> Sight:
        """Started, or adopted when it runs already."""
        sight = await self._until_decided()
        if sight.running:
            return sight
        await start_container(self._name, self._host, self._clock)
        return await self.look()

    async def _until_decided(self) -> Sight:
        """A sight of what runs or is at rest. Raises what keeps us from starting it."""
        until = self._clock.monotonic() + BUSY_WITHIN
        while (sight := await self.look()).life is Life.BUSY:
            if self._clock.monotonic() >= until:
                raise StepFailed(f"its supervisor is at work on it: {sight.detail}")
            await self._clock.sleep(LOOK_AGAIN / 2)
        if sight.paused:
            raise Superseded("somebody paused it")
        if sight.life is Life.GONE:
            raise StepFailed(f"{sight.detail}, and it is not ours to make one")
        return sight

    async def _chosen(self, sight: Sight) -> tuple[str, ...]:
        try:
            seen = await self._inspect()
        except StepError as error:
            return (f"Docker was not asked: {error}",)
        if seen is None:
            return (f"there is no container '{self._name}'",)
        self._sight(seen)
        other = () if seen.instance == sight.instance else ("another instance than the one decided on",)
        return (*other, *seen.chosen())
