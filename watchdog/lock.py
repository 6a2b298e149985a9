"""One daemon for one state folder (SPEC 15): two would heal each other's bots.

The lock is the kernel's and ends with the process, however it ends; a file that is left behind means nothing. The descriptor is
closed at exec, so that no bot keeps it.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from watchdog.errors import StartError

NAME = "lock"


class InstanceLock:
    """Held from `acquire` to `release`, or as a context."""

    def __init__(self, folder: Path, pid: int) -> None:
        self._path = folder / NAME
        self._pid = pid
        self._fd: int | None = None

    def acquire(self) -> None:
        """Raises StartError, which names the process that has it, when the state folder is in use or cannot be used."""
        try:
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise StartError(f"{self._path} cannot be opened: {error.strerror}") from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = _pid_in(fd)
            os.close(fd)
            if not isinstance(error, BlockingIOError):
                raise StartError(f"{self._path} cannot be locked: {error.strerror}") from error
            who = f"pid {holder}" if holder else "another process"
            raise StartError(f"bot-watchdog already runs on {self._path.parent} ({who}); this one does nothing") from error
        self._fd = fd
        self._write_pid(fd)

    def release(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def __enter__(self) -> InstanceLock:
        self.acquire()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()

    def _write_pid(self, fd: int) -> None:
        """For people and the error of a second daemon; a full disk must not keep the daemon from starting."""
        try:
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"{self._pid}\n".encode(), 0)
        except OSError:
            return


def _pid_in(fd: int) -> int | None:
    text = os.pread(fd, 32, 0).strip()
    return int(text) if text.isdigit() else None
