"""A door before an engine that can spoil its answers: what a person never sees of Docker, and a watchdog does one night."""

from __future__ import annotations

import selectors
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path

ERROR = b'{"message":"the disk of the engine is ill"}'


class Mood(Enum):
    """What becomes of an answer. LOST: the engine did what it was asked, and its answer never arrives."""

    FAITHFUL = "faithful"
    ERRORS = "errors"
    CUT = "cut"
    LOST = "lost"


class Door:
    """mood: may be changed at any time, and counts for open connections too."""

    def __init__(self, folder: Path, engine: Path) -> None:
        self.path = folder / "door.sock"
        self.host = f"unix://{self.path}"
        self.mood = Mood.FAITHFUL
        self._engine = engine
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(self.path))
        self._server.listen(64)
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                asker, _ = self._server.accept()
                threading.Thread(target=self._carry, args=(asker,), daemon=True).start()

    def _carry(self, asker: socket.socket) -> None:
        with asker, socket.socket(socket.AF_UNIX) as engine, selectors.DefaultSelector() as either, suppress(OSError):
            engine.connect(str(self._engine))
            either.register(asker, selectors.EVENT_READ)
            either.register(engine, selectors.EVENT_READ)
            while True:
                for key, _ in either.select():
                    came = asker.recv(1 << 16) if key.fileobj is asker else engine.recv(1 << 16)
                    if not came or not self._pass_on(came, asker, engine, asked=key.fileobj is asker):
                        return

    def _pass_on(self, came: bytes, asker: socket.socket, engine: socket.socket, *, asked: bool) -> bool:
        """False: this connection is over."""
        mood = self.mood
        if asked and mood is Mood.ERRORS:
            head = f"HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\nContent-Length: {len(ERROR)}\r\n\r\n"
            asker.sendall(head.encode() + ERROR)
            return True
        if asked:
            engine.sendall(came)
            return True
        if mood is Mood.LOST:
            return False
        asker.sendall(came[: len(came) // 2] if mood is Mood.CUT else came)
        return mood is not Mood.CUT


@contextmanager
def door(folder: Path, engine: Path) -> Iterator[Door]:
    folder.mkdir(parents=True)
    made = Door(folder, engine)
    try:
        yield made
    finally:
        made.close()
