"""Real processes for tests: started as the product starts them, and none is left when a test ends."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from recovery.adapters.ending import End
from recovery.adapters.launching import ProcessSpec
from recovery.adapters.processes import ProcessTable, Row, Snapshot
from recovery.runtimes.process import ProcessRuntime
from watchdog.clock import Clock

TARGETS = Path(__file__).with_name("targets")


def target(name: str, *args: str | Path) -> tuple[str, ...]:
    """The command line of one of the small programs."""
    return (sys.executable, "-S", "-E", str(TARGETS / f"{name}.py"), *map(str, args))


class Farm:
    """A state folder with the bots that run on it."""

    def __init__(self, state: Path) -> None:
        self.state = state.resolve()
        self.clock = Clock()
        self.table = ProcessTable(self.clock)

    def runtime(
        self, service: str, start: tuple[str, ...], *, pidfile: Path | None = None, env: Mapping[str, str] | None = None
    ) -> ProcessRuntime:
        """As a daemon that has just started would make it."""
        spec = ProcessSpec(start, pidfile=pidfile, env=env or {})
        return ProcessRuntime(service, spec, self.state, self.clock, self.table, leftover_grace=0.3)

    async def until(self, true: Callable[[], bool], seconds: float = 5.0) -> None:
        async with asyncio.timeout(seconds):
            while not true():
                await self.clock.sleep(0.01)

    async def pids(self, file: Path, count: int) -> list[int]:
        """The pids that the processes of a target wrote when they were ready."""
        await self.until(lambda: file.exists() and file.read_text().count("\n") >= count)
        return [int(line) for line in file.read_text().split()]

    async def end_all(self) -> None:
        def choose(snapshot: Snapshot, known: Iterable[Row]) -> Iterable[Row]:
            ours = {pid: row for pid, row in snapshot.rows.items() if row.marker and row.marker.state == str(self.state)}
            for row in [*ours.values(), *known]:
                owner = (row.marker.service, row.marker.state) if row.marker else None
                ours |= {one.stat.pid: one for one in snapshot.tree([row], owner, set())}
            return ours.values()

        await End(self.table, self.clock, choose).run(0)


@asynccontextmanager
async def farm(state: Path) -> AsyncIterator[Farm]:
    bots = Farm(state)
    try:
        yield bots
    finally:
        await bots.end_all()


def alive(pid: int) -> bool:
    """It exists and is no zombie."""
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def zombies_of_ours() -> list[int]:
    """Children of this process that ended and were not reaped."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] == "Z" and int(fields[1]) == os.getpid():
                found.append(int(entry.name))
    return found
