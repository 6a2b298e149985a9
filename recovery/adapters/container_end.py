"""Ends the processes of one container from the host, and proves that they are dead.

Through the engine it would be simpler, and wrong: whatever signal its API sends, it takes the container for stopped by a person,
and its restart policy rests. So the main process alone gets the container's own stop signal, as it would from the engine. It is
process 1 in there, and when it ends the kernel ends all others of its pid namespace. Only a container that shares the pids of the
host or of another container can leave some behind: whoever was seen in its cgroup while the main process lived is killed after
it, and never one who came later, for a container that is started again has the same cgroup.
"""

from __future__ import annotations

import os
import signal as signals
from collections.abc import Iterable
from pathlib import Path

from recovery.adapters import procfs
from recovery.adapters.cgroups import Cgroup
from recovery.adapters.ending import AFTER_KILL, Ending, all_dead, names
from recovery.adapters.processes import Held, hold
from recovery.adapters.procfs import Identity
from recovery.errors import StepFailed, Superseded
from recovery.ports import Clock
from recovery.units import format_duration

LOOK_EVERY = 1.0
"""Seconds between looks for new members while the main process takes its time."""


class ContainerEnd:
    """One ending. main: proved to be the container's main process, closed by the caller. stop_signal: see `signal_number`."""

    def __init__(self, main: Held, group: Cgroup, stop_signal: str, boot_id: str, clock: Clock) -> None:
        self._main = main
        self._group = group
        self._number = signal_number(stop_signal)
        self._boot_id = boot_id
        self._clock = clock
        self._others: dict[Identity, Held] = {}

    async def run(self, grace: float, *, kill: bool = True) -> str:
        """Returns when all are dead, in words. grace: seconds until SIGKILL.

        Raises StepFailed when it is alive after the grace and `kill` is False, or after SIGKILL; Superseded when somebody paused
        it meanwhile; StepImpossible when we may not signal it.
        """
        began = self._clock.monotonic()
        try:
            self._see()
            self._main.signal(self._number)
            stat = procfs.read_stat(self._main.identity.pid)
            if stat is not None and stat.state == "T":
                self._main.signal(signals.SIGCONT)  # a stopped process keeps the signal to itself until it is continued
            await self._wait(began + grace)
            killed = 0 if self._main.dead else await self._kill_main(grace, kill=kill)
            ending = Ending(1, killed, self._clock.monotonic() - began, signal_name(self._number))
            left = await self._kill_others()
            return f"{ending}, {left} that it left behind killed" if left else str(ending)
        finally:
            for held in self._others.values():
                held.close()

    async def _wait(self, until: float) -> None:
        while not self._main.dead and (left := until - self._clock.monotonic()) > 0:
            await all_dead([self._main], min(left, LOOK_EVERY))
            self._see()

    async def _kill_main(self, grace: float, *, kill: bool) -> int:
        if self._group.frozen():
            raise Superseded("somebody paused it")
        if not kill:
            sent = signal_name(self._number)
            raise StepFailed(f"{names([self._main])} still running {format_duration(grace)} after {sent}; left alone")
        self._see()
        self._main.signal(signals.SIGKILL)
        if not await all_dead([self._main], AFTER_KILL):
            if self._group.frozen():
                raise Superseded("somebody paused it")
            raise StepFailed(f"{names([self._main])} survived SIGKILL for {AFTER_KILL:.0f} s")
        return 1

    async def _kill_others(self) -> int:
        """Those who did not go with it. How many."""
        left = [held for held in self._others.values() if not held.dead]
        for held in left:
            held.signal(signals.SIGKILL)
        if not await all_dead(left, AFTER_KILL):
            raise StepFailed(f"{names(held for held in left if not held.dead)} survived SIGKILL for {AFTER_KILL:.0f} s")
        return len(left)

    def _see(self) -> None:
        """Take the other members in hand, if the main process outlives our look: then none of them is of a later instance."""
        if _first_of_its_own(self._main.identity.pid):
            return
        new = list(self._take(pid for pid in self._group.members() if pid not in _never(self._main.identity.pid)))
        if self._main.dead:
            for held in new:
                held.close()
            return
        for held in new:
            self._others[held.identity] = held

    def _take(self, pids: Iterable[int]) -> Iterable[Held]:
        for pid in pids:
            stat = procfs.read_stat(pid)
            identity = None if stat is None else Identity(pid, stat.start_ticks, self._boot_id)
            if identity is not None and identity not in self._others and (held := hold(identity, self._boot_id)) is not None:
                yield held


def signal_number(text: str) -> int:
    """As Docker reads it: with or without SIG, a number, or counted from the real-time ones. SIGTERM for what is none."""
    name = text.strip().upper().removeprefix("SIG")
    base, plus, offset = name.partition("+")
    if plus and offset.isdecimal() and base == "RTMIN":
        return int(signals.SIGRTMIN) + int(offset)
    try:
        return int(signals.Signals(int(name)) if name.isdecimal() else signals.Signals[f"SIG{name}"])
    except (ValueError, KeyError):
        return int(signals.SIGTERM)


def signal_name(number: int) -> str:
    try:
        return signals.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _first_of_its_own(pid: int) -> bool:
    """It is process 1 of a pid namespace: the kernel ends all others in there, before it is itself seen dead. Unknown: no."""
    try:
        status = Path(procfs.PROC, str(pid), "status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    numbers = next((line.split()[1:] for line in status.splitlines() if line.startswith("NSpid:")), [])
    return len(numbers) > 1 and numbers[-1] == "1"


def _never(main: int) -> set[int]:
    """The main process has its own turn; we, those we descend from and process 1 belong to no bot, whatever a cgroup says."""
    never = {main, 1}
    pid = os.getpid()
    while pid > 1 and pid not in never:
        never.add(pid)
        stat = procfs.read_stat(pid)
        pid = stat.parent if stat is not None else 0
    return never
