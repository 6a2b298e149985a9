"""What the kernel keeps of one container in its cgroup, version 1 or 2: who is in it and what they use. Nothing here writes.

A container is known there by its full id: `docker/ID` (driver cgroupfs) or `system.slice/docker-ID.scope` (driver systemd), under
whatever parent it was given. All readers answer None for what is gone, not kept by this kernel, or not ours to read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from recovery.adapters import procfs

ROOT = Path("/sys/fs/cgroup")

NO_LIMIT = 1 << 60
"""Bytes from which on a limit means that there is none: version 1 writes the largest number it has."""


@dataclass(frozen=True, slots=True)
class Cgroup:
    """folders: of the container, by controller; "" is that of version 2, which counts first where both are mounted."""

    folders: Mapping[str, Path]

    def cpu_seconds(self) -> float | None:
        """Used since the container was made ready, by all that ever ran in it."""
        new = self._table("", "cpu.stat").get("usage_usec")
        if new is not None:
            return new / 1e6
        old = self._number("cpuacct", "cpuacct.usage")
        return None if old is None else old / 1e9

    def memory(self) -> int | None:
        """Bytes that its processes hold now, and shared memory. No file cache: a database is not ill for being read."""
        new, old = self._table("", "memory.stat"), self._table("memory", "memory.stat")
        if "anon" in new:
            return new["anon"] + new.get("shmem", 0)
        if "total_rss" in old:
            return old["total_rss"] + old.get("total_shmem", 0)
        return self._number("", "memory.current") or self._number("memory", "memory.usage_in_bytes")

    def limit(self) -> int | None:
        """Bytes of memory at which it is killed."""
        limit = self._number("", "memory.max")
        if limit is None:
            limit = self._number("memory", "memory.limit_in_bytes")
        return None if limit is None or limit >= NO_LIMIT else limit

    def frozen(self) -> bool | None:
        """It is paused, or about to be."""
        new = self._number("", "cgroup.freeze")
        if new is not None:
            return new == 1
        old = self._text("freezer", "freezer.state")
        return None if old is None else old.strip() != "THAWED"

    def oom_kills(self) -> int | None:
        """Processes in it that the kernel has killed for want of memory."""
        new = self._table("", "memory.events").get("oom_kill")
        return self._table("memory", "memory.oom_control").get("oom_kill") if new is None else new

    def members(self) -> list[int]:
        """Pids of all in it and below. Every hierarchy has the same ones, so one is enough."""
        # os.path says no to what we may not see, where Path raises.
        folder = next((each for each in self.folders.values() if os.path.exists(each / "cgroup.procs")), None)  # noqa: PTH110
        found = set() if folder is None else set(procfs.unit_members(folder))
        return sorted(found - {0})  # 0 is one whom our pid namespace does not see

    def _number(self, controller: str, name: str) -> int | None:
        text = (self._text(controller, name) or "").strip()
        return int(text) if text.isdecimal() else None

    def _table(self, controller: str, name: str) -> dict[str, int]:
        """Lines of a name and a number."""
        rows = (line.split() for line in (self._text(controller, name) or "").splitlines())
        return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdecimal()}

    def _text(self, controller: str, name: str) -> str | None:
        folder = self.folders.get(controller)
        if folder is None:
            return None
        try:
            fd = os.open(f"{folder}/{name}", os.O_RDONLY | os.O_CLOEXEC)  # asked often, so without a file object
        except OSError:
            return None
        try:
            return os.read(fd, 1 << 16).decode("ascii", "replace")
        except OSError:
            return None
        finally:
            os.close(fd)


class Cgroups:
    """root, proc: where the kernel shows them; elsewhere in tests."""

    def __init__(self, root: Path = ROOT, proc: Path = Path(procfs.PROC)) -> None:
        self._root = root
        self._proc = proc

    def of_container(self, pid: int, container: str) -> Cgroup | None:
        """That container's cgroup, by one of its processes; None when this process is not in it.

        A process may have moved further down, as an init in a container does; the container's own is meant.
        """
        folders: dict[str, Path] = {}
        inside = False
        for controllers, path in self._lines(pid):
            own = _upto(path, container)
            if own is not None:
                inside = True
                folders |= {each: folder for each in controllers if (folder := self._folder(controllers, each, own)) is not None}
        return Cgroup(folders) if inside else None

    def _folder(self, controllers: list[str], one: str, path: str) -> Path | None:
        """Controllers mounted together have one folder under all their names, and sometimes links under each."""
        mounts = [one.removeprefix("name="), ",".join(controllers)] if one else ["", "unified"]
        return next((folder for mount in mounts if os.path.isdir(folder := self._root / mount / path)), None)  # noqa: PTH112

    def _lines(self, pid: int) -> Iterator[tuple[list[str], str]]:
        """(controllers, path) of each hierarchy; one nameless controller for version 2."""
        try:
            text = (self._proc / str(pid) / "cgroup").read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            passing = procfs.scarce(error, f"the cgroup of pid {pid}")
            if passing is not None:
                raise passing from error
            return
        for line in text.splitlines():
            _, _, rest = line.partition(":")
            controllers, _, path = rest.partition(":")
            yield controllers.split(","), path


def _upto(path: str, container: str) -> str | None:
    """The path down to the part that names the container; None when none does. Always relative, and never upwards."""
    parts = [part for part in path.split("/") if part not in ("", "..", os.curdir)]
    for index, part in enumerate(parts):
        if container and container in part:
            return "/".join(parts[: index + 1])
    return None
