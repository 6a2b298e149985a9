"""A daemon that is only its door: the real control socket in a thread of its own, with a fake desk behind it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fakes.desk import FakeDesk
from watchdog.clock import Clock
from watchdog.model.records import Audit
from watchdog.web.api import ControlServer


@contextmanager
def answering(socket: Path, desk: FakeDesk) -> Iterator[FakeDesk]:
    """Answers at `socket` until the block ends."""
    ready, loop = threading.Event(), asyncio.new_event_loop()
    audits: list[Audit] = []
    server = ControlServer(socket, desk, audits.append, Clock())

    def serve() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(server.start())
        loop.call_soon(ready.set)
        loop.run_forever()
        loop.run_until_complete(server.stop())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()

    thread = threading.Thread(target=serve, name="fake daemon")
    thread.start()
    assert ready.wait(5)
    try:
        yield desk
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
