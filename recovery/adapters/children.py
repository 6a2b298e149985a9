"""Starts a program as a child of the daemon and reaps it, by pidfd and without a thread."""

from __future__ import annotations

import asyncio
import errno
import os
import pwd
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recovery.adapters.procfs import read_stat
from recovery.errors import StepFailed, StepImpossible

_PASSING = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ETXTBSY})
"""Errors of a start that another try may not meet."""

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True, slots=True)
class Account:
    """As whom a program runs. name None: as the daemon."""

    name: str | None = None
    uid: int | None = None
    gid: int | None = None
    groups: tuple[int, ...] = ()
    home: str = field(default="/")


def account(user: str | None) -> Account:
    """Raises StepImpossible when there is no such user, or when only root could run as it."""
    try:
        own = pwd.getpwuid(os.geteuid())
    except KeyError:
        own = None
    if user is None or (own is not None and own.pw_name == user):
        return Account(home=own.pw_dir if own else "/")
    try:
        entry = pwd.getpwnam(user)
    except KeyError as error:
        raise StepImpossible(f"there is no user '{user}'") from error
    if os.geteuid() != 0:
        raise StepImpossible(f"only root can run a program as '{user}'")
    groups = tuple(os.getgrouplist(user, entry.pw_gid))
    return Account(user, entry.pw_uid, entry.pw_gid, groups, entry.pw_dir)


def clean_environment(who: Account, more: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """What a started program sees: a path, a home and a language, and `more`. Nothing else of the daemon's own `environ`."""
    base = {"PATH": environ.get("PATH", _PATH), "HOME": who.home, "LANG": environ.get("LANG", "C.UTF-8")}
    if who.name is not None:
        base |= {"USER": who.name, "LOGNAME": who.name}
    return {**base, **more}


def program(argv: Sequence[str], cwd: str, environ: Mapping[str, str]) -> str:
    """The full path of argv[0]. Raises StepImpossible when it or the folder it is to run in does not exist or cannot be used."""
    if not Path(cwd).is_dir():
        raise StepImpossible(f"the folder {cwd} does not exist")
    name = argv[0]
    if "/" in name:
        path = Path(cwd, name)
        if not path.exists():
            raise StepImpossible(f"{path} does not exist")
        if path.is_dir() or not os.access(path, os.X_OK):
            raise StepImpossible(f"{path} is not executable")
        return str(path)
    found = shutil.which(name, path=environ.get("PATH", _PATH))
    if found is None:
        raise StepImpossible(f"{name} is not found in PATH ({environ.get('PATH', _PATH)})")
    return found


class Child:
    """A started program. It is reaped as soon as it ends, whether anybody waits or not."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.exit_code: int | None = None
        self._ended = asyncio.Event()
        self._fd = os.pidfd_open(pid)  # not reaped yet, so the number is its own
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._fd, self._reap)

    @property
    def dead(self) -> bool:
        """It has ended, reaped or not."""
        if self._ended.is_set():
            return True
        stat = read_stat(self.pid)  # not reaped yet, so the number is its own
        return stat is None or stat.dead

    async def wait(self) -> int | None:
        """The exit code, -N after signal N; None when somebody else reaped it."""
        await self._ended.wait()
        return self.exit_code

    def _reap(self) -> None:
        self._loop.remove_reader(self._fd)
        os.close(self._fd)
        try:
            _, status = os.waitpid(self.pid, 0)
        except ChildProcessError:
            pass
        else:
            self.exit_code = os.waitstatus_to_exitcode(status)
        self._ended.set()


def start_child(argv: Sequence[str], *, cwd: str, env: Mapping[str, str], who: Account, output: int) -> Child:
    """Start argv in a session of its own, with nothing of ours: no terminal, no descriptors. output: a descriptor.

    Raises StepImpossible when it can never start, StepFailed when it may another time.
    """
    try:
        started = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            close_fds=True,
            start_new_session=True,
            umask=0o022,
            user=who.uid,
            group=who.gid,
            extra_groups=None if who.uid is None else list(who.groups),
        )
    except (OSError, ValueError) as error:
        kind = StepFailed if isinstance(error, OSError) and error.errno in _PASSING else StepImpossible
        what = error.strerror if isinstance(error, OSError) else str(error)
        raise kind(f"{argv[0]} cannot be started: {what}") from error
    try:
        child = Child(started.pid)
    except OSError as error:
        raise StepFailed(f"{argv[0]} was started, but cannot be followed: {error.strerror}") from error
    started.returncode = 0  # the pidfd tells when to reap; subprocess is to look after it no more
    return child
