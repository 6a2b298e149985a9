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
from watchdog.web.api import ControlServer, Rows
from watchdog.web.peers import Peer, peer_of


@contextmanager
def answering(socket: Path, desk: FakeDesk, rows: Rows | None = None, uid: int | None = None) -> Iterator[FakeDesk]:
    """Answers at `socket` until the block ends. uid: who everybody is taken for; None: who they are."""
    ready, loop = threading.Event(), asyncio.new_event_loop()
    audits: list[Audit] = []
    credentials = peer_of if uid is None else lambda _: Peer(pid=1, uid=uid, gid=uid)
    server = ControlServer(socket, desk, audits.append, Clock(), rows=rows, credentials=credentials)

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
