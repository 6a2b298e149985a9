"""What the kernel tells about processes, read from /proc. Nothing here signals anything.

Each reader raises StepFailed when no descriptor is left to read with: what cannot be seen is not taken for absent.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path

from recovery.errors import StepFailed

PROC = "/proc"
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")

SERVICE_KEY = "BOT_WATCHDOG_SERVICE"
STATE_KEY = "BOT_WATCHDOG_STATE"
PID_KEY = "BOT_WATCHDOG_PID"

UNIT_PREFIX, UNIT_SUFFIX = "bot-watchdog-bot-", ".service"
"""Name of the unit in which one bot runs; the daemon's own unit never matches."""

_CGROUPS = ("/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd")

_FREEZER = "/sys/fs/cgroup/freezer"

_LONGEST_ENVIRON = 4 << 20

SCARCE = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""Errors of a look that say nothing about what was looked for."""

STATES = {
    "R": "running",
    "S": "sleeping",
    "D": "in uninterruptible sleep, waiting for a device or file system",
    "T": "stopped",
    "t": "stopped by a debugger",
    "Z": "zombie",
    "X": "dead",
    "I": "idle",
}


@dataclass(frozen=True, slots=True)
class Identity:
    """A process that no other can be taken for: its pid, its start in clock ticks since boot, and the boot."""

    pid: int
    start_ticks: int
    boot_id: str

    def __str__(self) -> str:
        return f"{self.pid}:{self.start_ticks}:{self.boot_id}"

    @classmethod
    def parse(cls, text: str) -> Identity | None:
        """From `pid:ticks:boot`; None for anything else."""
        parts = text.split(":")
        if len(parts) != 3 or not (parts[0].isdecimal() and parts[1].isdecimal() and parts[2]) or int(parts[0]) < 1:
            return None
        return cls(int(parts[0]), int(parts[1]), parts[2])


@dataclass(frozen=True, slots=True)
class Marker:
    """Whose process it is, from its environment. state: the daemon's `state.dir`. main: the pid of the instance it belongs to."""

    service: str
    state: str
    main: int | None


@dataclass(frozen=True, slots=True)
class Stat:
    """The parts of /proc/PID/stat that matter here."""

    pid: int
    name: str
    state: str
    parent: int
    group: int
    session: int
    threads: int
    start_ticks: int
    cpu_ticks: int

    @property
    def dead(self) -> bool:
        """A zombie does not run, unless other threads of it still do."""
        return self.state in "ZXx" and self.threads <= 1

    @property
    def kernel(self) -> bool:
        """A thread of the kernel: it has neither group nor session."""
        return self.group == 0 and self.session == 0 and self.parent in (0, 2)


def read_stat(pid: int) -> Stat | None:
    """None when there is no such process."""
    try:
        raw = _read(f"{PROC}/{pid}/stat", 4096)
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name stands in parentheses and may itself hold spaces and parentheses.
    opens, closes = raw.find(b"("), raw.rfind(b")")
    rest = raw[closes + 2 :].split()
    return Stat(
        pid=pid,
        name=raw[opens + 1 : closes].decode("utf-8", "replace"),
        state=rest[0].decode(),
        parent=int(rest[1]),
        group=int(rest[2]),
        session=int(rest[3]),
        threads=int(rest[17]),
        start_ticks=int(rest[19]),
        cpu_ticks=int(rest[11]) + int(rest[12]),
    )


def read_marker(pid: int) -> Marker | None:
    """None when it is not ours, is gone, or belongs to a user whose environment we may not read."""
    try:
        raw = _read(f"{PROC}/{pid}/environ", _LONGEST_ENVIRON)
    except OSError:
        return None
    if STATE_KEY.encode() not in raw:
        return None
    found: dict[str, str] = {}
    for pair in raw.split(b"\0"):
        key, _, value = pair.partition(b"=")
        if key.startswith(b"BOT_WATCHDOG_"):
            found.setdefault(key.decode("ascii", "replace"), os.fsdecode(value))
    service, state, main = found.get(SERVICE_KEY), found.get(STATE_KEY), found.get(PID_KEY, "")
    if not service or not state:
        return None
    return Marker(service, state, int(main) if main.isdecimal() else None)


def read_command(pid: int) -> tuple[str, ...]:
    """The command line; empty when it is gone or a kernel thread."""
    try:
        raw = _read(f"{PROC}/{pid}/cmdline", _LONGEST_ENVIRON)
    except OSError:
        return ()
    return tuple(os.fsdecode(part) for part in raw.split(b"\0")[:-1])


def owner(pid: int) -> int | None:
    """The effective user id; None when it is gone."""
    try:
        return os.stat(f"{PROC}/{pid}").st_uid  # noqa: PTH116  a hot path without Path objects
    except OSError:
        return None


def resident(pid: int) -> int:
    """Bytes of memory that it holds now; 0 when it is gone."""
    try:
        return int(_read(f"{PROC}/{pid}/statm", 256).split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def unit_of(pid: int) -> Path | None:
    """The cgroup of the unit that was made for one bot; None when it lives in any other."""
    try:
        lines = _read(f"{PROC}/{pid}/cgroup", 1 << 16).decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    for line in lines:
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        name = path.rpartition("/")[2]
        if (number == "0" or controllers == "name=systemd") and name.startswith(UNIT_PREFIX) and name.endswith(UNIT_SUFFIX):
            folders = (Path(mount + path) for mount in _CGROUPS)
            return next((folder for folder in folders if (folder / "cgroup.procs").exists()), None)
    return None


def unit_members(unit: Path) -> list[int]:
    """The pids in the cgroup and below it; empty once it is gone, which may happen under our eyes."""
    found: list[int] = []
    for folder, _, _ in os.walk(unit):
        try:
            found += map(int, Path(folder, "cgroup.procs").read_text().split())
        except (OSError, ValueError):
            continue
    return found


def thread_states(pid: int) -> str:
    """The state of each of its threads, a letter each; "" when it is gone."""
    try:
        threads = os.listdir(f"{PROC}/{pid}/task")  # noqa: PTH208  a hot path without Path objects
    except OSError:
        return ""
    states = ""
    for thread in threads:
        try:
            raw = _read(f"{PROC}/{pid}/task/{thread}/stat", 4096)
        except OSError:
            continue
        states += raw[raw.rfind(b")") + 2 :][:1].decode("ascii", "replace")
    return states


def maps(pid: int, name: bytes, limit: int) -> bool:
    """It has a file mapped whose path holds `name`, in the first `limit` bytes of its map."""
    text = b""
    try:
        fd = os.open(f"{PROC}/{pid}/maps", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        while len(text) < limit and (more := os.read(fd, 1 << 16)):  # the kernel gives some 4 kB at a time, however long it is
            text += more
    except OSError:
        pass  # it ended meanwhile
    finally:
        os.close(fd)
    return name in text


def frozen(pid: int) -> bool:
    """Its cgroup, or one above, is frozen (`docker pause`); False also when that cannot be seen."""
    try:
        lines = _read(f"{PROC}/{pid}/cgroup", 1 << 16).decode("utf-8", "replace").splitlines()
    except OSError:
        return False
    for line in lines:
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and _holds("frozen 1", *(f"{mount}{path}/cgroup.events" for mount in _CGROUPS[:2])):
            return True
        if "freezer" in controllers.split(",") and _holds("FR", f"{_FREEZER}{path}/freezer.state"):
            return True  # FROZEN, or FREEZING, which may last
    return False


def _holds(text: str, *files: str) -> bool:
    for file in files:
        try:
            if text in _read(file, 4096).decode("ascii", "replace"):
                return True
        except OSError:
            continue
    return False


def pids() -> list[int]:
    return [int(name) for name in os.listdir(PROC) if name.isdigit()]  # noqa: PTH208  a hot path without Path objects


def boot_id() -> str:
    return Path(PROC, "sys/kernel/random/boot_id").read_text().strip()


def up_ticks() -> int:
    """Clock ticks since boot, comparable with `start_ticks`."""
    return int(float(_read(f"{PROC}/uptime", 64).split()[0]) * TICKS_PER_SECOND)


def started_at(start_ticks: int) -> float:
    """Wall seconds since the epoch of a start in ticks since boot, by the wall clock as it is set now."""
    for line in _read(f"{PROC}/stat", _LONGEST_ENVIRON).splitlines():
        if line.startswith(b"btime "):
            return int(line.split()[1]) + start_ticks / TICKS_PER_SECOND
    return 0.0


def scarce(error: OSError, path: object) -> StepFailed | None:
    """What to raise instead, when the error says nothing about the file."""
    return StepFailed(f"{path} cannot be read: {error.strerror}") if error.errno in SCARCE else None


def _read(path: str, limit: int) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise scarce(error, path) or error from None
    try:
        data = os.read(fd, min(limit, 1 << 16))
        if len(data) < (1 << 12):  # short answers of /proc come whole
            return data
        while len(data) < limit and (more := os.read(fd, 1 << 16)):
            data += more
        return data
    finally:
        os.close(fd)
