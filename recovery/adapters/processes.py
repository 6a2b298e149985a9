"""The processes of this host: who is there, whose they are, and a hand on exactly one of them.

A pid is a number that is used again. So a process is taken in hand by a pidfd first, its start time is compared after that, and
it is signalled through the pidfd only: what was proved is what is signalled.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal as signals
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from recovery.adapters import procfs
from recovery.adapters.procfs import Identity, Marker, Stat
from recovery.errors import StepFailed, StepImpossible
from recovery.ports import Clock

FRESH = 1.0
"""Seconds for which one scan of /proc serves everybody who only looks."""

_AT_ONCE = 64
"""Processes read before the loop is let on again; about 2 ms."""

_SETTLED_TICKS = 10 * procfs.TICKS_PER_SECOND
"""A process this old has done its exec; before that it may still show the environment of its parent."""


class Held:
    """One living process, proved to be the one that was meant. Close it after use."""

    __slots__ = ("_fd", "identity", "name")

    def __init__(self, identity: Identity, fd: int, name: str) -> None:
        self.identity = identity
        self.name = name
        self._fd = fd

    def fileno(self) -> int:
        return self._fd

    @property
    def dead(self) -> bool:
        """It has ended; a zombie counts as ended. A pidfd becomes readable when the last thread has exited."""
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        return bool(poll.poll(0))

    def signal(self, number: int) -> None:
        """A process that has ended meanwhile is no error. Raises StepImpossible when we may not."""
        try:
            signals.pidfd_send_signal(self._fd, number)
        except ProcessLookupError:
            return
        except PermissionError as error:
            raise StepImpossible(f"not permitted to signal pid {self.identity.pid} ({self.name})") from error

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def hold(identity: Identity, boot_id: str) -> Held | None:
    """The living process of that identity, or None when it has ended. Raises StepFailed when no descriptor is left."""
    if identity.boot_id != boot_id:
        return None
    try:
        fd = os.pidfd_open(identity.pid)
    except (ProcessLookupError, ValueError):
        return None
    except OSError as error:
        if error.errno in _NO_SUCH:
            return None
        raise StepFailed(f"pid {identity.pid} cannot be taken in hand: {error.strerror}") from error
    try:
        stat = procfs.read_stat(identity.pid)  # only after the pidfd: from here on the number cannot pass to another unseen
    except StepFailed:
        os.close(fd)
        raise
    if stat is None or stat.start_ticks != identity.start_ticks:
        os.close(fd)
        return None
    held = Held(identity, fd, stat.name)
    if held.dead:
        held.close()
        return None
    return held


_NO_SUCH = frozenset({3, 22})
"""ESRCH; EINVAL says that the number is a thread's and no longer a process's."""


@dataclass(frozen=True, slots=True)
class Row:
    """One process as the last scan saw it."""

    stat: Stat
    marker: Marker | None


class Snapshot:
    """All processes at about one moment. It proves nothing: who is to be signalled is taken in hand by `hold` first."""

    def __init__(self, rows: dict[int, Row], boot_id: str) -> None:
        self.rows = rows
        self.boot_id = boot_id
        self._carriers: dict[tuple[str, str], list[Row]] = {}
        self._children: dict[int, list[Row]] = {}
        self._led: dict[int, list[Row]] = {}
        for row in rows.values():
            self._children.setdefault(row.stat.parent, []).append(row)
            for number in {row.stat.group, row.stat.session}:
                self._led.setdefault(number, []).append(row)
            if row.marker is not None:
                self._carriers.setdefault((row.marker.service, row.marker.state), []).append(row)

    def identity(self, row: Row) -> Identity:
        return Identity(row.stat.pid, row.stat.start_ticks, self.boot_id)

    def row(self, identity: Identity) -> Row | None:
        """The row of exactly that process."""
        row = self.rows.get(identity.pid)
        same = row is not None and identity.boot_id == self.boot_id and row.stat.start_ticks == identity.start_ticks
        return row if same else None

    def carriers(self, service: str, state: str) -> Sequence[Row]:
        """The living processes that carry the marker of this service of this daemon."""
        return [row for row in self._carriers.get((service, state), ()) if not row.stat.dead]

    def uncollected(self, parents: Collection[int]) -> int:
        """How many children of these have ended, and stay in the table because nobody asks for their end."""
        return sum(row.stat.dead for parent in parents for row in self._children.get(parent, ()))

    def tree(self, roots: Iterable[Row], owner: tuple[str, str] | None, numbers: set[int]) -> list[Row]:
        """The roots with everything that belongs to them, zombies included: children, groups and sessions, transitively.

        numbers: of the groups and sessions known to be theirs; those that a member leads are added. Such a number is good as long
        as a member bears it, and so orphans are found after their leader has gone. Left out: what carries the marker of another
        service than `owner`, and whoever must never be signalled (ourselves, those we descend from, pid 1, the kernel's threads).
        """
        spared = self._spared()
        members: dict[int, Row] = {}
        todo = list(roots)
        while todo:
            row = todo.pop()
            pid, led = row.stat.pid, {row.stat.group, row.stat.session}
            if pid in members or pid in spared or row.stat.kernel or _foreign(row, owner):
                continue
            members[pid] = row
            todo += self._children.get(pid, ())
            # Its own number, if it leads; or that of its dead instance, named by its marker, in whose session it still is.
            numbers |= led & {pid, row.marker.main if row.marker else pid}
            for number in led & numbers:
                todo += self._led[number]
        return list(members.values())

    def _spared(self) -> set[int]:
        spared = {0, 1}
        pid = os.getpid()
        while pid not in spared:
            spared.add(pid)
            row = self.rows.get(pid)
            pid = row.stat.parent if row else 0
        return spared


def _foreign(row: Row, owner: tuple[str, str] | None) -> bool:
    return row.marker is not None and (row.marker.service, row.marker.state) != owner


class ProcessTable:
    """Reads all processes of the host, for everybody at once: one scan serves all who look within a second.

    clock: lets the loop on between two handfuls of processes. About 30 us per process seen for the first time, 12 us later.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = asyncio.Lock()
        self._last: Snapshot | None = None
        self._at = 0.0
        self._markers: dict[tuple[int, int], Marker | None] = {}
        self.boot_id = procfs.boot_id()

    async def snapshot(self, max_age: float = FRESH) -> Snapshot:
        """At most `max_age` seconds old; 0: begun after this call. Raises StepFailed when /proc cannot be read."""
        asked = self._clock.monotonic()
        async with self._lock:
            if self._last is None or self._at < asked - max_age or max_age == 0:
                began = self._clock.monotonic()
                try:
                    self._last = Snapshot(await self._scan(), self.boot_id)
                except OSError as error:
                    raise StepFailed(f"the processes cannot be listed: {error.strerror}") from error
                self._at = began
            return self._last

    def living(self, identity: Identity) -> Stat | None:
        """The cheap look at one process: None when it has ended. Raises StepFailed when it cannot be looked at."""
        if identity.boot_id != self.boot_id:
            return None
        stat = procfs.read_stat(identity.pid)
        return None if stat is None or stat.start_ticks != identity.start_ticks or stat.dead else stat

    async def _scan(self) -> dict[int, Row]:
        settled = procfs.up_ticks() - _SETTLED_TICKS
        rows: dict[int, Row] = {}
        markers: dict[tuple[int, int], Marker | None] = {}
        for count, pid in enumerate(procfs.pids(), 1):
            stat = procfs.read_stat(pid)
            if stat is not None:
                rows[pid] = Row(stat, self._marker(stat, settled, markers))
            if count % _AT_ONCE == 0:
                await self._clock.sleep(0)
        self._markers = markers
        return rows

    def _marker(self, stat: Stat, settled: int, keep: dict[tuple[int, int], Marker | None]) -> Marker | None:
        """Read once per process. A process in state D is not asked: reading its memory could hang as it does."""
        key = (stat.pid, stat.start_ticks)
        if key in self._markers:
            keep[key] = self._markers[key]
            return keep[key]
        if stat.kernel or stat.state == "D":
            return None
        marker = procfs.read_marker(stat.pid)
        if stat.start_ticks < settled or (marker is not None and marker.main == stat.pid):
            keep[key] = marker
        return marker
