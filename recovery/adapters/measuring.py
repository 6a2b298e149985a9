"""What the processes of one bot use: read from /proc, for the ones it is made of now."""

from __future__ import annotations

import os
from collections.abc import Sequence

import psutil

from recovery.adapters import procfs
from recovery.adapters.procfs import Stat
from recovery.ports import Usage, Vitals


def usage_of(tree: Sequence[Stat]) -> Usage:
    """CPU since each of them began, and what they hold in memory now."""
    cpu = sum(stat.cpu_ticks for stat in tree) / procfs.TICKS_PER_SECOND
    return Usage(cpu, sum(procfs.resident(stat.pid) for stat in tree))


def vitals_of(main: Stat, tree: Sequence[Stat]) -> Vitals:
    """main: the process that the bot is known by. Members that are gone meanwhile, or not ours to look into, are left out."""
    age = max(1, procfs.up_ticks() - main.start_ticks)
    measured = [one for stat in tree if (one := _measure(stat.pid)) is not None]
    return Vitals(
        cpu=100.0 * sum(stat.cpu_ticks for stat in tree) / age,
        memory=sum(memory for memory, _, _ in measured),
        files=sum(files for _, files, _ in measured),
        sockets=sum(sockets for _, _, sockets in measured),
        processes=len(tree),
        state=procfs.STATES.get(main.state, main.state),
    )


def _measure(pid: int) -> tuple[int, int, int] | None:
    """(bytes RSS, open files, sockets) of one process; None when it is gone or not ours to look into."""
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            memory = process.memory_info().rss
        links = [_target(pid, fd) for fd in os.listdir(f"/proc/{pid}/fd")]  # noqa: PTH208  a hot path without Path objects
    except (psutil.Error, OSError):
        return None
    return memory, len(links), sum(link.startswith("socket:") for link in links)


def _target(pid: int, fd: str) -> str:
    """What a descriptor leads to; "" when it was closed meanwhile."""
    try:
        return os.readlink(f"/proc/{pid}/fd/{fd}")  # noqa: PTH115
    except FileNotFoundError:
        return ""
