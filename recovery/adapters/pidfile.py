"""What a pidfile says, and whether to believe it: the number in it may be a stranger's by now."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from recovery.adapters import procfs
from recovery.adapters.processes import Row

_SLACK = 2.0
"""Seconds between a start as the kernel counts it and the time of a file."""


@dataclass(frozen=True, slots=True)
class Claim:
    """written_at: wall seconds of the file's last change."""

    pid: int
    written_at: float


def read_claim(path: Path) -> Claim | None:
    """None when there is no such file or it holds no pid. Raises StepFailed when it cannot be looked into for now."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        passing = procfs.scarce(error, path)
        if passing is not None:
            raise passing from error
        return None
    try:
        status = os.fstat(fd)
        words = os.read(fd, 64).split() if stat.S_ISREG(status.st_mode) else []
    finally:
        os.close(fd)
    pid = int(words[0]) if words and words[0].isdigit() else 0
    return Claim(pid, status.st_mtime) if 0 < pid < 1 << 31 else None


def doubt(claim: Claim, row: Row, owner: tuple[str, str], argv: Sequence[str], uid: int) -> str:
    """Why the process is not the one that the file means; "" when it is.

    It is when it carries the marker of the service, or else runs the service's command as its user and was there before the file.
    """
    if row.marker is not None:
        ours = (row.marker.service, row.marker.state) == owner
        return "" if ours else f"it belongs to {row.marker.service}"
    if procfs.owner(claim.pid) not in (uid, 0):
        return "another user's process"
    if not runs(procfs.read_command(claim.pid), argv):
        return "another program"
    if procfs.started_at(row.stat.start_ticks) > claim.written_at + _SLACK:
        return "it was started after the pidfile was written"
    return ""


def runs(command: Sequence[str], argv: Sequence[str]) -> bool:
    """The command line is `argv`, perhaps behind an interpreter or with more arguments after it."""
    for begin in (0, len(command) - len(argv)):
        part = command[begin : begin + len(argv)] if begin >= 0 else ()
        if len(part) == len(argv) and PurePath(part[0]).name == PurePath(argv[0]).name and tuple(part[1:]) == tuple(argv[1:]):
            return True
    return False
