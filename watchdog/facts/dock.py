"""A Docker engine as decisions see it: its events as values, and its own record of stops by hand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any, Protocol

from recovery.adapters.docker_rows import History, wall_seconds
from watchdog.model.container import Act, Happening

REMEMBERED = 30 * 86_400.0
"""Seconds that are looked back for any sign of an earlier life of the engine."""

_ACTS = {str(act): act for act in Act}

_RESTARTS = ("always", "unless-stopped")
"""Policies under which a container is at rest only because somebody wanted it so."""


class Host(Protocol):
    """What is needed of `recovery.adapters.docker_host.DockerHost`."""

    async def ping(self) -> None: ...
    async def inspect(self, name: str) -> dict[str, Any] | None: ...
    async def manually_stopped(self, container_id: str) -> bool | None: ...
    async def recent(self, since: float, until: float) -> History: ...
    def events(self, since: float | None = None) -> AsyncIterator[Mapping[str, Any]]: ...


class EngineDock:
    """`watchdog.decisions.ports.Dock` over one engine."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._dropped = asyncio.Event()

    async def ping(self) -> None:
        await self._host.ping()

    async def happenings(self, since: float | None) -> AsyncIterator[Happening]:
        self._dropped.clear()
        events = self._host.events(since)
        dropped = asyncio.ensure_future(self._dropped.wait())
        news: asyncio.Future[Mapping[str, Any] | None] = dropped.get_loop().create_future()
        try:
            while True:
                news = asyncio.ensure_future(anext(events, None))
                await asyncio.wait({news, dropped}, return_when=asyncio.FIRST_COMPLETED)
                raw = news.result() if news.done() else None
                if raw is None:
                    return
                seen = happening(raw)
                if seen is not None:
                    yield seen
        finally:
            for task in (news, dropped):
                task.cancel()
            await asyncio.gather(news, dropped, return_exceptions=True)  # what still reads cannot be closed
            if isinstance(events, AsyncGenerator):
                await events.aclose()

    async def forgot(self, moment: float) -> bool:
        return not (await self._host.recent(moment - REMEMBERED, moment)).events

    async def stopped_by_hand(self, name: str, before: float | None = None) -> bool | None:
        seen = await self._host.inspect(name)
        if seen is None:
            return None
        if before is not None and _finished(seen) >= before:
            return False
        told = await self._host.manually_stopped(str(seen.get("Id", "")))
        if told is not None:
            return told
        policy = ((seen.get("HostConfig") or {}).get("RestartPolicy") or {}).get("Name")
        return True if policy in _RESTARTS else None

    def drop(self) -> None:
        self._dropped.set()


def _finished(seen: Mapping[str, Any]) -> float:
    """When it ended last, wall seconds; 0 when that is not said."""
    try:
        return wall_seconds(str((seen.get("State") or {}).get("FinishedAt") or "")) or 0.0
    except (ValueError, AttributeError):
        return 0.0


def happening(raw: Mapping[str, Any]) -> Happening | None:
    """The event as a value; None for what does not matter here. raw: `Action`, `ID`, `name`, `timeNano`, ..."""
    act = _ACTS.get(str(raw.get("Action", "")).partition(":")[0])
    nano = raw.get("timeNano")
    if act is None or not isinstance(nano, int) or nano <= 0:
        return None
    old = str(raw.get("oldName") or "").removeprefix("/")
    signal, code = _whole(raw.get("signal")), _whole(raw.get("exitCode"))
    return Happening(nano / 1e9, nano, act, str(raw.get("ID", "")), str(raw.get("name", "")), signal, code, old)


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | str) and str(value).isdecimal() else None
