"""The daemon as systemd sees it, inside the test's own loop: its notify socket, its log and its clock are in our hands."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import logging
import socket
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import structlog

from watchdog import logs
from watchdog.clock import Clock
from watchdog.web.client import Client


class Ear:
    """systemd's end of the notify socket. heard: (monotonic seconds, fields), each as it came."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.heard: list[tuple[float, list[str]]] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._thread = threading.Thread(target=self._listen, name="ear", daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        """In a thread of its own, so that a blocked loop cannot make it deaf."""
        while True:
            data = self._socket.recv(4096)
            if not data:
                return
            self.heard.append((Clock().monotonic(), data.decode().split("\n")))

    def pings(self, since: float = 0.0) -> list[float]:
        return [at for at, fields in self.heard if fields == ["WATCHDOG=1"] and at >= since]

    def has(self, field: str) -> bool:
        return any(field in fields for _, fields in self.heard)

    def status(self) -> str:
        """The last STATUS."""
        lines = [line for _, fields in self.heard for line in fields if line.startswith("STATUS=")]
        return lines[-1].removeprefix("STATUS=") if lines else ""

    def close(self) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
            end.sendto(b"", str(self.path))
        self._thread.join(2)
        self._socket.close()


class BlockingClock(Clock):
    """A hand that can block the thread of the loop, as a library that waits where it must not. block: seconds, once."""

    def __init__(self) -> None:
        self.block = 0.0
        self.blocked: list[tuple[float, float]] = []

    def now(self) -> float:
        seconds, self.block = self.block, 0.0
        if seconds:
            began = self.monotonic()
            time.sleep(seconds)
            self.blocked.append((began, self.monotonic()))
        return super().now()


class Home:
    """A folder with a configuration and a short path for sockets."""

    def __init__(self, folder: Path, sockets: Path) -> None:
        self.folder, self.sockets = folder, sockets
        self.config = folder / "watchdog.yaml"
        self.state = folder / "state"
        self.ear = Ear(sockets / "notify")
        self.client = Client(sockets / "control.sock")
        self.log = io.StringIO()

    def write(self, services: str, more: str = "") -> None:
        """services: lines of YAML below `services`."""
        control = f"control: {{socket: {self.sockets / 'control.sock'}}}\n"
        self.config.write_text(f"state: {{dir: {self.state}}}\n{control}guards: {{settle: 0s}}\n{more}services:\n{services}")

    def events(self, name: str = "") -> list[dict[str, Any]]:
        """Lines of the daemon's log, each one JSON object."""
        lines = [json.loads(line) for line in self.log.getvalue().splitlines()]
        return [line for line in lines if not name or line["event"] == name]

    async def ask(self, verb: str, **args: Any) -> Any:
        """Over the control socket, as watchdogctl does."""
        return await asyncio.to_thread(self.client.call, verb, args)

    async def pages(self) -> list[str]:
        """Critical messages that were delivered."""
        return [line["text"] for line in self.events("notice") if line["tier"] == "critical"]


@contextmanager
def at_home(folder: Path) -> Iterator[Home]:
    """Puts back what a daemon changes in its process: the log's chain and what the collector was told to forget."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    quiet = {name: logging.getLogger(name).level for name in logs.QUIET}
    with tempfile.TemporaryDirectory(prefix="bw-") as sockets:
        home = Home(folder, Path(sockets))
        try:
            yield home
        finally:
            home.ear.close()
            root.handlers[:] = handlers
            root.setLevel(level)
            for name, old in quiet.items():
                logging.getLogger(name).setLevel(old)
            structlog.reset_defaults()
            gc.unfreeze()


@asynccontextmanager
async def listening() -> AsyncIterator[int]:
    """Something that a tcp probe finds well. The port."""
    server = await asyncio.start_server(lambda _reader, writer: writer.close(), "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def until(so: Any, seconds: float = 5.0) -> None:
    """Real time: the daemon lives in this loop."""
    clock = Clock()
    end = clock.monotonic() + seconds
    while not so():
        assert clock.monotonic() < end, "not so in time"
        await clock.sleep(0.01)
