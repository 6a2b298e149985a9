"""A stream of Docker's events: read in a thread of its own, handed to the loop in order and without loss."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from recovery.adapters.docker_client import EngineClient, shut
from recovery.adapters.docker_rows import event
from recovery.adapters.lanes import in_thread
from recovery.errors import EngineAway

if TYPE_CHECKING:
    from requests import Response


class Stream:
    """An open stream. It ends when the engine ends it, when the connection is cut, or when `close` is called."""

    def __init__(self, response: Response, loop: asyncio.AbstractEventLoop) -> None:
        self._response = response
        self._loop = loop
        self._queue: asyncio.Queue[Mapping[str, Any] | None] = asyncio.Queue()
        self._thread = threading.Thread(target=self._read, name="Docker events", daemon=True)
        self._thread.start()

    async def next(self) -> Mapping[str, Any] | None:
        """The next event as `docker_rows.event` has it; None when there will be no more."""
        return await self._queue.get()

    def close(self) -> None:
        """The thread ends at once: its read returns."""
        shut(self._response)

    def _read(self) -> None:
        try:
            for line in self._response.iter_lines():
                told = event(json.loads(line)) if line.strip() else None
                if told is not None:
                    self._loop.call_soon_threadsafe(self._queue.put_nowait, told)
        except Exception:  # noqa: BLE001, S110  cut off, shut, broken, or our loop is gone: to its reader it has ended
            pass
        finally:
            with suppress(Exception):
                self._response.close()
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._queue.put_nowait, None)


async def follow(client: EngineClient, since: float | None, deadline: float) -> Stream:
    """Raises EngineAway when the stream is not open within `deadline` seconds."""
    opening = in_thread(lambda: client.stream(since), "Docker events")
    try:
        async with asyncio.timeout(deadline):
            response = await asyncio.shield(opening)
    except TimeoutError as error:
        raise EngineAway("Docker opened no stream of events in time") from error
    finally:
        if not opening.done():
            opening.add_done_callback(_shut_late)
    return Stream(response, asyncio.get_running_loop())


def _shut_late(opening: asyncio.Future[Response]) -> None:
    """Nobody waits for it any more."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()
