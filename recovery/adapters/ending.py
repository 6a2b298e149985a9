"""Ends processes and proves that they are dead: SIGTERM, a grace, SIGKILL, whoever was started meanwhile included (SPEC 6)."""

from __future__ import annotations

import asyncio
import signal as signals
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from recovery.adapters import procfs
from recovery.adapters.processes import Held, ProcessTable, Row, Snapshot, hold
from recovery.adapters.procfs import Identity
from recovery.errors import StepFailed
from recovery.ports import Clock
from recovery.units import format_duration

AFTER_KILL = 5.0
"""Seconds within which a killed process must be dead. What takes longer waits in the kernel for something broken."""

ROUNDS = 20
"""Looks for new processes after SIGKILL; a tree that still grows then is not ended by killing."""

Choice = Callable[[Snapshot, Iterable[Row]], Iterable[Row]]
"""Who is to be ended, among all that run now. Its second argument: those that were chosen before and still run."""


@dataclass(frozen=True, slots=True)
class Ending:
    """count: processes that were ended. killed: how many needed SIGKILL. seconds: from the first signal to the last death.

    signal: the one that asked them to end.
    """

    count: int = 0
    killed: int = 0
    seconds: float = 0.0
    signal: str = "SIGTERM"

    def __str__(self) -> str:
        if not self.count:
            return "nothing was running"
        tree = f" ({self.count} processes)" if self.count > 1 else ""
        if not self.killed:
            return f"ended by {self.signal} {'at once' if self.seconds < 0.05 else f'after {self.seconds:.1f} s'}{tree}"
        who = "" if self.killed == self.count else f"{self.killed} of "
        return f"{self.signal} was ignored for {self.seconds:.1f} s, {who}{self.count} killed"


class End:
    """One ending. Used once, through `run`."""

    def __init__(self, table: ProcessTable, clock: Clock, choose: Choice) -> None:
        self._table = table
        self._clock = clock
        self._choose = choose
        self._held: dict[Identity, Held] = {}

    async def run(self, grace: float, *, kill: bool = True) -> Ending:
        """Returns when every one chosen is dead. grace: seconds from SIGTERM to SIGKILL.

        Raises StepFailed when one is alive after the grace and `kill` is False (it is left alone), or after SIGKILL (its state is
        named); StepImpossible when we may not signal one.
        """
        began = self._clock.monotonic()
        killed = 0
        try:
            await self._ask_to_end(began + grace)
            left = self._alive()
            if left and not kill:
                raise StepFailed(f"{names(left)} still running {format_duration(grace)} after SIGTERM; left alone")
            if left:
                killed = await self._kill()
            return Ending(len(self._held), killed, self._clock.monotonic() - began)
        finally:
            for held in self._held.values():
                held.close()

    async def _ask_to_end(self, until: float) -> None:
        """SIGTERM to all, also to those who appear while the others end. Returns early when none is left."""
        while new := await self._find():
            for held in new:
                held.signal(signals.SIGTERM)
                held.signal(signals.SIGCONT)  # a stopped process keeps SIGTERM to itself until it is continued
            left = until - self._clock.monotonic()
            if left <= 0 or not await all_dead(self._alive(), left):
                return

    async def _kill(self) -> int:
        """SIGKILL to all that are left, until a look finds no more. How many were killed."""
        killed: set[Identity] = set()
        for _ in range(ROUNDS):
            await self._find()
            left = self._alive()
            if not left:
                return len(killed)
            for held in left:
                held.signal(signals.SIGKILL)
                killed.add(held.identity)
            if not await all_dead(left, AFTER_KILL):
                raise StepFailed(f"{names(self._alive())} survived SIGKILL for {AFTER_KILL:.0f} s")
        raise StepFailed(f"{names(self._alive())}: new processes appear faster than they can be killed")

    async def _find(self) -> list[Held]:
        """List anew and take in hand whoever is new. Raises before anything is signalled when descriptors run out."""
        snapshot = await self._table.snapshot(max_age=0)
        known = [row for identity in self._held if (row := snapshot.row(identity)) is not None]
        new = []
        for row in self._choose(snapshot, known):
            identity = snapshot.identity(row)
            if identity not in self._held and (held := hold(identity, self._table.boot_id)) is not None:
                self._held[identity] = held
                new.append(held)
        return new

    def _alive(self) -> list[Held]:
        return [held for held in self._held.values() if not held.dead]


async def all_dead(held: Iterable[Held], seconds: float | None) -> bool:
    """Wait until all have ended, at most so long (None: for ever). True when they have."""
    waiting = [one for one in held if not one.dead]
    if not waiting:
        return True
    loop = asyncio.get_running_loop()
    done = asyncio.Event()
    left = {one.fileno() for one in waiting}

    def ended(fd: int) -> None:
        loop.remove_reader(fd)
        left.discard(fd)
        if not left:
            done.set()

    for fd in list(left):
        loop.add_reader(fd, ended, fd)
    try:
        async with asyncio.timeout(seconds):
            await done.wait()
    except TimeoutError:
        return False
    finally:
        for fd in left:
            loop.remove_reader(fd)
    return True


def names(held: Iterable[Held]) -> str:
    """In words, with their states: `pid 4711 (node, sleeping), pid 4712 (chrome, zombie)`; the first five."""
    named = []
    for one in held:
        stat = procfs.read_stat(one.identity.pid)
        state = procfs.STATES.get(stat.state, stat.state) if stat else "gone"
        named.append(f"pid {one.identity.pid} ({one.name}, {state})")
    more = f" and {len(named) - 5} more" if len(named) > 5 else ""
    return ", ".join(named[:5]) + more


def tree_of(leader: Identity | None, service: str, state: str) -> Choice:
    """The instance `leader` and what belongs to that service of that daemon.

    Descendants, sessions, carriers of its marker; and whoever is in its unit, which nobody leaves by himself.
    """
    numbers: set[int] = set()
    units: set[Path] = set()

    def choose(snapshot: Snapshot, known: Iterable[Row]) -> Iterable[Row]:
        main = snapshot.row(leader) if leader is not None else None
        if main is not None and not main.stat.dead and (unit := procfs.unit_of(main.stat.pid)) is not None:
            units.add(unit)
        inside = [snapshot.rows[pid] for unit in units for pid in procfs.unit_members(unit) if pid in snapshot.rows]
        roots = [*snapshot.carriers(service, state), *inside, *known]
        # The leader comes first in the list, and so it is the first to hear SIGTERM.
        tree = snapshot.tree([*roots, *([main] if main else [])], (service, state), numbers)
        return sorted(tree, key=lambda row: row is not main)

    return choose
