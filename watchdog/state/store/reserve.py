"""A file that holds space back, so that the way out of a full disk can still be journalled (SPEC 15)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

SIZE = 8 * 1024 * 1024
"""Bytes. Twice the usual size of SQLite's write-ahead log."""


def free_bytes(directory: Path) -> int:
    """Bytes that this process may still write on the file system of `directory`."""
    found = os.statvfs(directory)
    return found.f_bavail * found.f_frsize


class Reserve:
    """free: bytes left on a file system, for tests of a full one. No method raises: without a reserve the store still works."""

    def __init__(self, path: Path, size: int = SIZE, free: Callable[[Path], int] = free_bytes) -> None:
        self._path = path
        self._size = size
        self._free = free
        self._held = False

    @property
    def held(self) -> bool:
        return self._held

    def hold(self) -> bool:
        """Make the file if it is not there and if twice its size is free: taken back too early it would fill the disk again."""
        if self._held:
            return True
        try:
            if self._path.exists() and self._path.stat().st_size == self._size:
                self._held = True
            elif self._free(self._path.parent) >= 2 * self._size:
                self._make()
        except OSError:
            self._held = False
        return self._held

    def release(self) -> bool:
        """Give the space back. False when there was none to give."""
        if not self._held:
            return False
        self._held = False
        try:
            self._path.unlink()
        except OSError:
            return False
        return True

    def _make(self) -> None:
        descriptor = os.open(self._path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            os.posix_fallocate(descriptor, 0, self._size)
            self._held = True
        except OSError:
            self._path.unlink(missing_ok=True)
            raise
        finally:
            os.close(descriptor)
