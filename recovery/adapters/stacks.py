"""Stacks of Python processes, taken from outside by py-spy (SPEC 6). The processes run on as they did before.

py-spy stops its target for some 15 ms to read it whole. One that cannot be stopped so (it is stopped already, waits for a device,
or is frozen) would make it fail or hang for ever, so these are read while they are as they are.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal as signals
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from recovery.adapters import procfs
from recovery.adapters.commands import Command, Finished, run
from recovery.adapters.processes import ProcessTable, hold
from recovery.adapters.procfs import Identity, Stat
from recovery.adapters.stack_text import Dump, Why, read, refused, report, summary
from recovery.errors import StepError, StepFailed, StepImpossible
from recovery.ports import Clock, Stacks

BLOCKING = 3.0
"""Seconds for one look that stops its target."""

NONBLOCKING = 3.0
"""Seconds for one that does not."""

WITHIN = 9.0
"""Seconds for all processes. What is then in the kernel's hands gets 6 more to be killed: 15 for the whole (SPEC 6)."""

AT_ONCE = 4
"""Processes that are looked at side by side."""

MOST = 32
"""Processes looked at; those that have used the most CPU."""

SETTLES = 0.1
"""Seconds after which a SIGSTOP that a dying py-spy left behind has arrived."""

OUTPUT = 256 << 10
"""Bytes kept of the begin and of the end: some 2,000 threads."""

_PYTHON = re.compile(r"(python|pypy)[\d.]*(t|d)?( \(deleted\))?")
_MAPS = 1 << 20


class Spy:
    """One py-spy for all. program: its path; by default the one that is installed with the watchdog."""

    def __init__(
        self,
        table: ProcessTable,
        clock: Clock,
        program: str | None = None,
        blocking: float = BLOCKING,
        nonblocking: float = NONBLOCKING,
    ) -> None:
        self._table, self._clock = table, clock
        self._program = program
        self._blocking, self._nonblocking = blocking, nonblocking

    async def capture(self, tree: Sequence[Identity], within: float = WITHIN) -> Stacks:
        """The stacks of every Python process among them, in `within` seconds, and 6 more when py-spy itself cannot be killed.

        tree: all processes of the service; those that are not Python's (`sh -c`, a browser) are left out. Raises StepImpossible
        when there can be none, StepFailed when there were none this time.
        """
        program = self._program if self._program is not None else installed()
        if program is None or not os.access(program, os.X_OK):
            raise StepImpossible(str(Why.MISSING))
        chosen = await self._python(tree)
        dumps = {identity: Dump(identity.pid, stat.name, why=Why.NO_TIME) for identity, stat in chosen[:MOST]}
        places = asyncio.Semaphore(AT_ONCE)

        async def one(identity: Identity, stat: Stat) -> None:
            async with places:
                dumps[identity] = await self._dump(program, identity, stat)

        try:
            async with asyncio.timeout(within), asyncio.TaskGroup() as group:
                for identity, stat in chosen[:MOST]:
                    group.create_task(one(identity, stat))
        except TimeoutError:
            pass  # what is not done says so
        return _told(list(dumps.values()), len(chosen) - len(dumps))

    async def _python(self, tree: Sequence[Identity]) -> list[tuple[Identity, Stat]]:
        """Those that may be Python's, the one that has used the most CPU first."""
        found: list[tuple[Identity, Stat]] = []
        others: dict[str, int] = {}
        for identity in tree:
            stat = self._table.living(identity)
            if stat is None:
                continue
            if is_python(stat):
                found.append((identity, stat))
            else:
                others.setdefault(stat.name, identity.pid)
            await self._clock.sleep(0)
        if not found and not others:
            raise StepFailed("nothing of it runs any more")
        if not found:
            names = ", ".join(f"{name} (pid {pid})" for name, pid in list(others.items())[:3])
            raise StepImpossible(f"it is no Python: {names}{' and others' if len(others) > 3 else ''}")
        return sorted(found, key=lambda each: -each[1].cpu_ticks)

    async def _dump(self, program: str, identity: Identity, stat: Stat) -> Dump:
        stopped = _any_stopped(identity.pid, stat.state)
        asleep = not set(procfs.thread_states(identity.pid)) & set("RDTt")
        late = True
        try:
            dump = await self._look(program, stat, _still(stat, stopped=stopped))
            dump = _corrected(dump, asleep=asleep)
            late = bool(dump.note) or dump.why is Why.HUNG
        finally:
            if not stopped:
                await self._let_go(identity, late=late)
        if self._table.living(identity) is None:
            return Dump(stat.pid, stat.name, why=Why.GONE)
        return dump

    async def _look(self, program: str, stat: Stat, still: str) -> Dump:
        """Stopping it when that works, else as it is. still: why it cannot be stopped."""
        if not still:
            dump = await self._ask(program, stat, self._blocking)
            if dump.why not in {Why.HUNG, Why.FAILED}:
                return dump
        for _ in range(2):  # it may fail for a moment, when the target changes what is being read
            dump = await self._ask(program, stat, self._nonblocking, "--nonblocking")
            if dump.why is not Why.FAILED:
                break
        if not dump.threads:
            return dump
        if still:  # all its threads look alike to the kernel; only the lock of the interpreter tells who was at work
            threads = tuple(replace(thread, active=thread.gil) for thread in dump.threads)
            return replace(dump, threads=threads, note=still)
        return replace(dump, note="read while it ran on, so that frames may not belong together")

    async def _ask(self, program: str, stat: Stat, seconds: float, *options: str) -> Dump:
        command = Command((program, "dump", "--pid", str(stat.pid), "--full-filenames", *options))
        try:
            finished: Finished = await run(command, seconds, self._table, self._clock, {}, keep=OUTPUT)
        except StepError as error:
            cause = error.__cause__
            if isinstance(error, StepFailed) and (isinstance(cause, TimeoutError) or not isinstance(cause, OSError)):
                return Dump(stat.pid, stat.name, why=Why.HUNG)
            return Dump(stat.pid, stat.name, why=Why.FAILED, said=str(error))
        told = read if finished.code == 0 else refused
        return told(stat.pid, stat.name, finished.output)

    async def _let_go(self, identity: Identity, *, late: bool) -> None:
        """SIGCONT to a target that was left stopped; to nobody else. late: its SIGSTOP may be on the way still."""
        self._continue(identity)
        if late:
            await self._clock.sleep(SETTLES)
            self._continue(identity)

    def _continue(self, identity: Identity) -> None:
        try:
            if not _any_stopped(identity.pid, ""):
                return
            held = hold(identity, self._table.boot_id)
            if held is not None:
                with held:
                    held.signal(signals.SIGCONT)
        except StepError:
            return  # nothing was seen of it; what follows takes it in hand anew


def installed() -> str | None:
    """The program of the package py-spy, beside our own interpreter or where its package was put; never one of the PATH."""
    beside = Path(sys.executable).with_name("py-spy")
    if beside.is_file():
        return str(beside)
    try:
        files = distribution("py-spy").files or ()
    except PackageNotFoundError:
        return None
    found = (Path(str(file.locate())).resolve() for file in files if file.name == "py-spy")
    return next((str(path) for path in found if path.is_file()), None)


def is_python(stat: Stat) -> bool:
    """By its program, or by the library it has loaded. True also when it cannot be told: then py-spy says what it is."""
    try:
        program = os.readlink(f"{procfs.PROC}/{stat.pid}/exe")  # noqa: PTH115  a hot path without Path objects
    except FileNotFoundError:
        return False
    except OSError:
        return True
    if _PYTHON.fullmatch(program.rpartition("/")[2]):
        return True
    # The map of one that waits in the kernel may be locked, and who reads it then hangs as it does.
    return stat.state != "D" and procfs.maps(stat.pid, b"libpython", _MAPS)


def _still(stat: Stat, *, stopped: bool) -> str:
    """Why it cannot be stopped to be looked at; "" when it can."""
    if stopped:
        return "it is stopped"
    if procfs.frozen(stat.pid):
        return "it is frozen"
    return "it waits for a device or file system" if stat.state == "D" else ""


def _corrected(dump: Dump, *, asleep: bool) -> Dump:
    """py-spy cannot match the threads of a container with the kernel's and calls them all active. asleep: none of them ran."""
    if not asleep or not all(thread.active and not thread.gil for thread in dump.threads):
        return dump
    return replace(dump, threads=tuple(replace(thread, active=False) for thread in dump.threads))


def _any_stopped(pid: int, state: str) -> bool:
    return bool(set(state + procfs.thread_states(pid)) & set("Tt"))


def _told(dumps: Sequence[Dump], left: int) -> Stacks:
    """Raises StepImpossible or StepFailed when no process showed its threads."""
    seen = [dump for dump in dumps if dump.threads]
    if not seen:
        first = dumps[0]
        never = first.why in {Why.NOT_PYTHON, Why.NOT_PERMITTED, Why.UNSUPPORTED}
        kind = StepImpossible if never else StepFailed
        raise kind(f"pid {first.pid} ({first.name}): {first.reason}")
    more = f"\n\n{left} more Python processes were not looked at" if left > 0 else ""
    return Stacks(report(dumps) + more, summary(dumps))
