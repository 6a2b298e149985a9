"""A plain process: started by us, found again by its marker, ended with its whole tree (SPEC 3, runtime `process`).

Before any start the living process that carries our marker with its own pid (or that the pidfile means) is adopted; every other
carrier of the marker is a leftover and is ended first. So no bot runs twice, whatever became of the daemon that started it.
"""

from __future__ import annotations

import asyncio
import os
import signal as signals
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from recovery.adapters import procfs
from recovery.adapters.bot_log import BotLog, last_lines
from recovery.adapters.children import Child, account
from recovery.adapters.ending import End, all_dead, tree_of
from recovery.adapters.launching import Launched, Launcher, ProcessSpec, write_private
from recovery.adapters.measuring import usage_of, vitals_of
from recovery.adapters.pidfile import doubt, read_claim
from recovery.adapters.processes import FRESH, ProcessTable, Row, Snapshot, hold
from recovery.adapters.procfs import Identity, Stat
from recovery.adapters.stacks import Spy
from recovery.errors import StepFailed, StepImpossible, Superseded
from recovery.ports import Clock, Life, Sight, Stacks, Usage, Vitals

LEFTOVER_GRACE = 5.0
"""Seconds from SIGTERM to SIGKILL for what an earlier instance left behind."""

EXEC_WITHIN = 2.0
"""Seconds for the shell to become the bot."""

PIDFILE_WITHIN = 5.0
"""Seconds for a program to write its pidfile, which it does last when it goes into the background."""

LOOK_AGAIN = 1.0
"""Seconds between looks at a process that no descriptor could be had for."""

_NOT_FOUND = (126, 127)
"""Exit codes with which the shell says that it could not become the bot."""


class ProcessRuntime:
    """One service. state: the daemon's `state.dir`. table: shared, so that one scan serves all. logs: more files to show."""

    kind = "process"
    hindsight = 0.0

    def __init__(
        self,
        service: str,
        spec: ProcessSpec,
        state: Path,
        clock: Clock,
        table: ProcessTable | None = None,
        launcher: Launcher | None = None,
        logs: Sequence[Path] = (),
        leftover_grace: float = LEFTOVER_GRACE,
    ) -> None:
        state = state.resolve()
        self._service = service
        self._spec = spec
        self._owner = (service, str(state))
        self._clock = clock
        self._table = table or ProcessTable(clock)
        self._launcher = launcher or Launcher(state, self._table, clock, os.environ, os.getpid())
        self._log = BotLog(state / "logs", service, clock)
        self._logs = logs
        self._leftover_grace = leftover_grace
        self._record = state / "run" / f"{service}.instance"
        self._turn = asyncio.Lock()
        self._sight: Sight | None = None
        self._main: Identity | None = None
        self._child: Child | None = None

    async def look(self) -> Sight:
        """One read while the known instance lives. Otherwise all processes are gone through, once a second for all services."""
        await self._log.trim()
        return self._known() or await self._find(FRESH)

    async def gone(self, sight: Sight) -> None:
        target = Identity.parse(sight.instance)
        if target is None:
            return
        try:
            held = hold(target, self._table.boot_id)
        except StepFailed:  # no descriptor is left: the poor man's way
            while self._may_live(target):
                await self._clock.sleep(LOOK_AGAIN)
            return
        if held is not None:
            with held:
                await all_dead([held], None)

    async def start(self) -> Sight:
        async with self._turn:
            sight = await self._find(0)
            leftovers = await self._end_leftovers()
            if sight.running:
                return sight
            launched = await self._launcher.start(self._service, self._spec, self._log)
            self._child = launched.child
            if launched.identity is not None:
                self._remember(launched.identity)
            sight = await self._until_it_runs(launched)
            detail = f"{leftovers} of an earlier instance ended first" if leftovers else sight.detail
            return Sight(sight.life, sight.instance, sight.pid, sight.started_at, sight.exit_code, detail)

    async def stop(self, sight: Sight, grace: float, *, kill: bool = True) -> str:
        async with self._turn:
            now = self._known() or await self._find(0)
            if now.running and now.instance != sight.instance:
                raise Superseded(f"another instance runs, pid {now.pid}")
            target = Identity.parse(sight.instance)
            ending = await End(self._table, self._clock, tree_of(target, *self._owner)).run(grace, kill=kill)
            if self._child is not None and target is not None and self._child.pid == target.pid:
                await self._child.wait()
            return str(ending)

    async def signal(self, sight: Sight, name: str) -> None:
        number = getattr(signals.Signals, f"SIG{name.upper().removeprefix('SIG')}", None)
        if number is None:
            raise StepImpossible(f"there is no signal '{name}'")
        target = Identity.parse(sight.instance)
        held = hold(target, self._table.boot_id) if target is not None else None
        if held is None:
            now = await self._find(0)
            if now.running:
                raise Superseded(f"another instance runs, pid {now.pid}")
            raise StepFailed("it does not run")
        with held:
            held.signal(number)

    async def log_tail(self, lines: int) -> Sequence[str]:
        """Of its output; then of each other log file, under its path."""
        tail = list(self._log.tail(lines))
        for path in self._logs:
            tail += [f"{path}:", *last_lines(path, lines)]
        return tail

    async def vitals(self, sight: Sight) -> Vitals:
        snapshot = await self._table.snapshot()
        tree = self._tree(snapshot, sight)
        if not tree:
            return Vitals(state="gone")
        return replace(vitals_of(tree[0], tree), zombies=snapshot.uncollected([each.pid for each in tree]))

    async def usage(self, sight: Sight) -> Usage | None:
        tree = self._tree(await self._table.snapshot(), sight)
        # The snapshot says who belongs to it, and may be a second old: CPU is read now, or two readings would tell no rate.
        now = [stat for one in tree if (stat := procfs.read_stat(one.pid)) is not None and stat.start_ticks == one.start_ticks]
        return usage_of(now) if now and now[0].pid == tree[0].pid and not now[0].dead else None

    async def stacks(self, sight: Sight) -> Stacks:
        snapshot = await self._table.snapshot(0)
        tree = self._tree(snapshot, sight)
        if not tree:
            raise StepFailed("it does not run any more")
        return await Spy(self._table, self._clock).capture(
            [Identity(stat.pid, stat.start_ticks, snapshot.boot_id) for stat in tree]
        )

    def _may_live(self, target: Identity) -> bool:
        """True also while it cannot be looked at."""
        try:
            return self._table.living(target) is not None
        except StepFailed:
            return True

    def _known(self) -> Sight | None:
        """The remembered instance, if it still runs."""
        if self._main is None or self._sight is None or self._table.living(self._main) is None:
            return None
        return self._sight

    async def _find(self, max_age: float) -> Sight:
        snapshot = await self._table.snapshot(max_age)
        main, why = self._main_of(snapshot)
        if main is not None:
            return self._remember(main)
        code = await self._child.wait() if self._child is not None and self._child.dead else None
        return Sight(Life.STOPPED, exit_code=code, detail=why or ("" if code is None else _ending(code)))

    def _main_of(self, snapshot: Snapshot) -> tuple[Identity | None, str]:
        """The instance to adopt: the pidfile's, else a carrier with its own pid, else the one recorded at its start."""
        claimed, why = self._by_pidfile(snapshot)
        carriers = [row for row in snapshot.carriers(*self._owner) if row.marker and row.marker.main == row.stat.pid]
        candidates = [*claimed, *map(snapshot.identity, sorted(carriers, key=lambda row: row.stat.start_ticks))]
        # Known by its identity: also a bot that has overwritten its environment with a title, or got another one by `env -i`.
        candidates[len(claimed) : len(claimed)] = [one for one in (self._main, self._recorded()) if one is not None]
        living = (one for one in candidates if self._table.living(one) is not None)
        return next(living, None), why

    def _of_instance(self, snapshot: Snapshot, main: Row) -> list[Row]:
        """The carriers that were started by this instance: they bear the same number in their marker."""
        label = main.marker.main if main.marker is not None else main.stat.pid
        return [row for row in snapshot.carriers(*self._owner) if row.marker and row.marker.main == label]

    def _tree(self, snapshot: Snapshot, sight: Sight) -> list[Stat]:
        """The processes of that instance, its main one first; empty once it is gone."""
        target = Identity.parse(sight.instance)
        main = snapshot.row(target) if target is not None else None
        if main is None:
            return []
        members = snapshot.tree([main, *self._of_instance(snapshot, main)], self._owner, set())
        return [main.stat, *(row.stat for row in members if row is not main and not row.stat.dead)]

    def _by_pidfile(self, snapshot: Snapshot) -> tuple[list[Identity], str]:
        claim = read_claim(self._spec.pidfile) if self._spec.pidfile is not None else None
        row = snapshot.rows.get(claim.pid) if claim is not None else None
        if claim is None or row is None or row.stat.dead:
            return [], ""
        uid = account(self._spec.user).uid
        why = doubt(claim, row, self._owner, self._spec.start, os.geteuid() if uid is None else uid)
        if why:
            return [], f"its pidfile names pid {claim.pid} ({row.stat.name}), which is not it: {why}"
        return [snapshot.identity(row)], ""

    def _recorded(self) -> Identity | None:
        """Raises StepFailed when it cannot be looked into for now."""
        try:
            return Identity.parse(self._record.read_text().strip())
        except OSError as error:
            passing = procfs.scarce(error, self._record)
            if passing is not None:
                raise passing from error
            return None
        except ValueError:
            return None

    def _remember(self, main: Identity) -> Sight:
        if self._sight is None or main != self._main:
            started_at = procfs.started_at(main.start_ticks)  # may fail; both or none of what follows
            self._main = main
            self._sight = Sight(Life.RUNNING, str(main), main.pid, started_at)
            try:
                write_private(self._record, f"{main}\n")
            except OSError:
                pass  # the marker is enough to find it
        return self._sight

    async def _end_leftovers(self) -> int:
        """End whatever carries our marker and does not belong to the adopted instance. How many were ended."""
        numbers: set[int] = set()

        def choose(snapshot: Snapshot, known: Iterable[Row]) -> Iterable[Row]:
            carriers = snapshot.carriers(*self._owner)
            main = snapshot.row(self._main) if self._main is not None else None
            if main is None or main.stat.dead:
                return snapshot.tree([*carriers, *known], self._owner, numbers)
            own = {row.stat.pid for row in snapshot.tree([main], self._owner, set())}
            own |= {row.stat.pid for row in self._of_instance(snapshot, main)}
            return [row for row in snapshot.tree([*carriers, *known], self._owner, numbers) if row.stat.pid not in own]

        return (await End(self._table, self._clock, choose).run(self._leftover_grace)).count

    async def _until_it_runs(self, launched: Launched) -> Sight:
        """Wait until the shell has become the bot, or, with a pidfile, until the file names a living process."""
        until = self._clock.monotonic() + EXEC_WITHIN
        while launched.identity is not None and self._clock.monotonic() < until:
            marker = procfs.read_marker(launched.identity.pid)
            if self._table.living(launched.identity) is None or (marker is not None and marker.main is not None):
                break
            await self._clock.sleep(0.005)
        child = launched.child
        if child is not None and child.dead and await child.wait() in _NOT_FOUND:
            raise StepImpossible(f"{self._spec.start[0]} cannot be started: {(self._log.tail(1) or ['no reason given'])[-1]}")
        if self._spec.pidfile is not None:
            await self._until_its_pidfile()
        return await self._find(0)

    async def _until_its_pidfile(self) -> None:
        """Wait until the pidfile means a living process of this service."""
        until = self._clock.monotonic() + PIDFILE_WITHIN
        while self._clock.monotonic() < until:
            if self._by_pidfile(await self._table.snapshot(0))[0]:
                return
            await self._clock.sleep(0.1)


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"ended by {signals.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"
