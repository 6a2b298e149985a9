"""One Docker engine, asked from the loop: every call has a deadline, and one that hangs holds up nobody but its own container.

There is no circuit breaker around it. A breaker stays open for 30 s, and so long an engine that is back after a restart of 3 s
would be taken for away and its bots left ill. What a breaker is for, two smaller things do: for a second after a connection that
could not be made all calls fail from memory, and a container whose last call hangs is not asked again before that one is back.
"""

from __future__ import annotations

import asyncio
import json
import re
import struct
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from recovery.adapters.docker_client import READ, START, EngineClient
from recovery.adapters.docker_events import follow
from recovery.adapters.docker_rows import History, Listed
from recovery.adapters.lanes import Lanes, Overdue
from recovery.errors import EngineAway, OutcomeUnknown, StepFailed
from recovery.ports import Clock

T = TypeVar("T")

DEFAULT = "unix:///var/run/docker.sock"

SLACK = 1.0
"""Seconds beyond the time for one read, after which nobody waits for a call any more: its bytes may trickle for ever."""

FRESH = 1.0
"""Seconds for which one list serves everybody, and for which a failed connection is not tried again."""

LOG_TAIL = 256 << 10
"""Bytes of a log that are kept."""

_ID = re.compile(r"[0-9a-f]{64}")

# Lanes that belong to no container: a container's name holds no space.
_CONNECT, _PING, _INFO = "the connection", "its own state", "its own facts"
_LIST, _HISTORY, _DISK = "the list of containers", "past events", "its own files"


class DockerHost:
    """url: `unix://` and a path. read, start: seconds for an answer to a look, and to a start. It connects when first asked.

    Raises EngineAway for whatever says that the engine cannot be asked; the next call begins with a new connection.
    """

    def __init__(self, clock: Clock, url: str = DEFAULT, *, read: float = READ, start: float = START) -> None:
        self.url = url
        self._clock = clock
        self._read, self._start = read, start
        self._lanes = Lanes("Docker")
        self._client: EngineClient | None = None
        self._connecting: asyncio.Task[EngineClient] | None = None
        self._away: tuple[float, EngineAway] | None = None
        self._rows: tuple[float, Mapping[str, Listed]] | None = None
        self._listing: asyncio.Task[Mapping[str, Listed]] | None = None
        self._root: Path | None = None
        self._closed = False

    async def ping(self) -> None:
        await self._ask(_PING, EngineClient.ping)

    async def inspect(self, name: str) -> dict[str, Any] | None:
        """As the engine says it; None when no container has that name. Holds Env and Labels: neither log nor keep it."""
        return await self._ask(name, lambda client: client.inspect(name))

    async def start(self, name: str) -> None:
        """Raises StepFailed with the engine's words; OutcomeUnknown when it was asked and did not answer, then look."""
        client = await self._connected()
        try:
            await self._call(client, name, self._start + SLACK, lambda: client.start(name))
        except Overdue as error:
            self._drop(client)
            raise OutcomeUnknown(f"start {name}: {error}; what became of it is not known") from error
        except OutcomeUnknown:
            self._drop(client)
            raise
        finally:
            self.forget()

    async def logs(self, name: str, lines: int) -> list[str]:
        """The last lines of stdout and stderr, the last 256 KiB of them, oldest first. What is no UTF-8 is replaced."""
        if lines <= 0:
            return []
        raw = await self._ask(name, lambda client: client.logs(name, lines))
        return _lines(raw)[-lines:]

    async def listed(self) -> Mapping[str, Listed]:
        """All containers by name, at most a second old; one call for everybody who asks meanwhile."""
        if self._rows is not None and self._clock.monotonic() - self._rows[0] < FRESH:
            return self._rows[1]
        if self._listing is None or self._listing.done():
            self._listing = _swallowing(asyncio.create_task(self._list(), name="docker list"))
        return await asyncio.shield(self._listing)

    def forget(self) -> None:
        """Something was changed: the next one who asks for the list gets a new one, also while an old one is under way."""
        self._rows = self._listing = None

    async def data_root(self) -> Path | None:
        """Where the engine keeps its state; None when it does not say."""
        if self._root is None:
            told = (await self._ask(_INFO, EngineClient.info)).get("DockerRootDir")
            self._root = Path(told) if isinstance(told, str) and told.startswith("/") else None
        return self._root

    async def manually_stopped(self, container_id: str) -> bool | None:
        """Whether its last end was asked for through the API (`HasBeenManuallyStopped`), from the engine's own state file.

        Evidence and no proof: the file is internal. None when it cannot be read. Raises ValueError for what is no full id.
        """
        if not _ID.fullmatch(container_id):
            raise ValueError(f"{container_id!r} is no container id")
        root = await self.data_root()
        if root is None:
            return None
        file = root / "containers" / container_id / "config.v2.json"
        try:
            return await self._lanes.run(_DISK, self._read, lambda: _manually_stopped(file))
        except StepFailed:
            return None

    async def recent(self, since: float, until: float) -> History:
        """The events of containers between two moments, as the engine remembers them. Wall seconds; until: not in the future."""
        return await self._ask(_HISTORY, lambda client: client.history(since, until))

    async def events(self, since: float | None = None) -> AsyncIterator[Mapping[str, Any]]:
        """Events of containers as they happen, those since then first (wall seconds), as `docker_rows.event` has them.

        Ends when the engine ends the stream; what happens until the next one is in `recent`. EngineAway: there is none.
        """
        client = await self._connected()
        try:
            stream = await follow(client, since, self._read + SLACK)
        except EngineAway:
            self._drop(client)
            raise
        try:
            while (told := await stream.next()) is not None:
                yield told
        finally:
            stream.close()

    async def close(self) -> None:
        """No call after this one succeeds. Streams end with their iterators."""
        self._closed = True
        if self._client is not None:
            self._drop(self._client)

    async def _list(self) -> Mapping[str, Listed]:
        asked = self._clock.monotonic()
        mine = self._listing
        raw = await self._ask(_LIST, EngineClient.containers)
        try:
            rows = {row.name: row for each in raw if (row := Listed.read(each)) is not None}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise EngineAway(f"Docker's list is not understood: {type(error).__name__}") from error
        if self._listing is mine:
            self._rows = (asked, rows)
        return rows

    async def _ask(self, lane: str, look: Callable[[EngineClient], T]) -> T:
        """A look: whatever goes wrong is EngineAway, but LaneTaken when the container's lane is not free."""
        client = await self._connected()
        try:
            return await self._call(client, lane, self._read + SLACK, lambda: look(client))
        except Overdue as error:
            self._drop(client)
            raise EngineAway(str(error)) from error

    async def _call(self, client: EngineClient, lane: str, deadline: float, work: Callable[[], T]) -> T:
        try:
            return await self._lanes.run(lane, deadline, work)
        except EngineAway:
            self._drop(client)
            raise

    async def _connected(self) -> EngineClient:
        """The client, made when there is none: once for everybody who waits for it."""
        if self._closed:
            raise EngineAway("Docker is not asked any more: we are ending")
        if self._client is not None:
            return self._client
        if self._away is not None and self._clock.monotonic() - self._away[0] < FRESH:
            raise EngineAway(str(self._away[1]))
        if self._connecting is None or self._connecting.done():
            self._connecting = _swallowing(asyncio.create_task(self._connect(), name="docker connect"))
        return await asyncio.shield(self._connecting)

    async def _connect(self) -> EngineClient:
        try:
            client = await self._lanes.run(_CONNECT, self._read + SLACK, lambda: EngineClient(self.url, self._read, self._start))
        except StepFailed as error:
            told = error if isinstance(error, EngineAway) else EngineAway(str(error))
            self._away = (self._clock.monotonic(), told)
            raise told from error
        if self._closed:
            client.close()
            raise EngineAway("Docker is not asked any more: we are ending")
        self._client, self._away = client, None
        return client

    def _drop(self, client: EngineClient) -> None:
        """Calls that still run on it end by themselves; only the connections that wait are closed."""
        if self._client is client:
            self._client = None
            self.forget()
        client.close()


def _swallowing(task: asyncio.Task[T]) -> asyncio.Task[T]:
    """Those who waited for it were told; that none of them is left is no error of the loop."""
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    return task


def _manually_stopped(file: Path) -> bool | None:
    try:
        told = json.loads(file.read_bytes())["HasBeenManuallyStopped"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return told if isinstance(told, bool) else None


def _lines(raw: bytes) -> list[str]:
    text = _payload(raw)[-LOG_TAIL:].decode("utf-8", "replace")
    return [line.rstrip("\r") for line in text.split("\n") if line.rstrip("\r")]


def _payload(raw: bytes) -> bytes:
    """Without the frames (stream, three zeros, length) that a container without a terminal has around its output."""
    found = bytearray()
    at = 0
    while at < len(raw):
        if len(raw) - at < 8 or raw[at] > 2 or raw[at + 1 : at + 4] != b"\0\0\0":
            return raw if at == 0 else bytes(found)  # a terminal's output has no frames; a cut frame ends the rest
        (size,) = struct.unpack(">I", raw[at + 4 : at + 8])
        found += raw[at + 8 : at + 8 + size]
        at += 8 + size
    return bytes(found)
