"""A bot that speaks raw bytes on loopback, so that it can be as wrong as it likes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType

from watchdog.clock import Clock

Talk = Callable[[asyncio.StreamWriter], Awaitable[None]]


class HttpBot:
    """says: the bytes of every answer, or a coroutine that writes them. `asked` holds the requests, `open` the live connections.

    hangs: accepts, reads and says nothing.
    """

    def __init__(self, says: bytes | Talk = b"", *, hangs: bool = False) -> None:
        self.says = says
        self.hangs = hangs
        self.asked: list[bytes] = []
        self.open = 0
        self.closed_by_peer = asyncio.Event()
        self.port = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> HttpBot:
        self._server = await asyncio.start_server(self._meet, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await Clock().sleep(0)  # transports close one turn of the loop later

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/health"

    def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                self.asked.append(await reader.readuntil(b"\r\n\r\n"))
                if not self.hangs:
                    if callable(self.says):
                        await self.says(writer)
                    else:
                        writer.write(self.says)
                        await writer.drain()
                if self.hangs:
                    await reader.read()
                    self.closed_by_peer.set()
        finally:
            self.open -= 1
            writer.transport.abort() if self.hangs else writer.close()


def response(body: bytes | str = b"", code: int = 200, **headers: str) -> bytes:
    """A whole answer with its length; header names with `_` for `-`."""
    plain = body.encode() if isinstance(body, str) else body
    fields = {"Content-Length": str(len(plain)), **{name.replace("_", "-"): value for name, value in headers.items()}}
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {code} Whatever\r\n{lines}\r\n".encode() + plain
