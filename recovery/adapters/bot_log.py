"""The output of one bot: `state.dir/logs/NAME.log`, copied to NAME.log.1 and truncated at 10 MB (SPEC 3, `process`).

The bot writes into the file itself, appending, so it neither waits for the daemon nor notices its end.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from recovery.errors import StepFailed
from recovery.ports import Clock

LIMIT = 10_000_000
_PIECE = 1 << 20
_TAIL = 256 << 10
"""Bytes from the end that are searched for the last lines."""


class BotLog:
    def __init__(self, folder: Path, name: str, clock: Clock) -> None:
        self.path = folder / f"{name}.log"
        self._old = folder / f"{name}.log.1"
        self._clock = clock
        self._trimming = False

    def open(self) -> int:
        """A descriptor to append to; the folder is made. Raises StepFailed, for example on a full disk."""
        try:
            self.path.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
            return os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o640)
        except OSError as error:
            raise StepFailed(f"{self.path} cannot be written: {error.strerror}") from error

    async def trim(self) -> None:
        """Above the limit: keep its last 10 MB as NAME.log.1 and truncate; what is written in between is lost. Never raises."""
        try:
            size = os.stat(self.path).st_size  # noqa: PTH116  asked at every look
        except OSError:
            return
        if size <= LIMIT or self._trimming:
            return
        self._trimming = True
        try:
            await self._copy(size)
            os.truncate(self.path, 0)
        except OSError:
            return
        finally:
            self._trimming = False

    def tail(self, lines: int) -> Sequence[str]:
        """The last lines, oldest first, also from before the last truncation."""
        new = last_lines(self.path, lines)
        return new if len(new) >= lines else [*last_lines(self._old, lines - len(new)), *new]

    async def _copy(self, size: int) -> None:
        with self.path.open("rb") as source, self._old.open("wb") as target:
            self._old.chmod(0o640)
            source.seek(max(0, size - LIMIT))
            left = min(size, LIMIT)  # a bot that writes faster than we copy must not make this last for ever
            while left and (data := source.read(min(_PIECE, left))):
                target.write(data)
                left -= len(data)
                await self._clock.sleep(0)


def last_lines(path: Path, lines: int) -> list[str]:
    """Empty when it cannot be read or is no regular file."""
    if lines <= 0:
        return []
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return []
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        return []
    begin = max(0, status.st_size - _TAIL)
    with os.fdopen(fd, "rb") as file:
        file.seek(begin)
        text = file.read(_TAIL).decode("utf-8", "replace")
    found = text.replace("\r\n", "\n").split("\n")
    whole = found[1:] if begin and len(found) > 1 else found  # the first may be cut
    return list(deque((line for line in whole if line), maxlen=lines))
