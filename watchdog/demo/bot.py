"""A small bot of the demo: answers /health, needs others, and falls ill when it is told to.

    python -I -S bot.py folder=DIR name=NAME port=PORT [needs=NAME:PORT,...] [browser=yes]

It writes each of its starts to `DIR/starts/NAME.starts` (`pid wall_seconds`) and looks for an order in `DIR/orders/NAME`:
`hang` (once: answers nobody and ignores SIGTERM), `break` (for good: no instance ever listens), `stale` (degraded until SIGHUP).
Standard library only, so that a whole fleet is up in a moment. It imports nothing of the product and nothing of it imports this.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

TURN = 0.1
"""Seconds between two looks at its orders and at what it needs."""

PATIENCE = 0.5
"""Seconds for one answer of another bot."""

RECONNECT = 3.0
"""Seconds that a bot needs to find its way after something that it needs came back."""

TRACEBACK = """\
Traceback (most recent call last):
  File "/srv/rates/main.py", line 3, in <module>
    from gspread import Sheet
ImportError: cannot import name 'Sheet' from 'gspread'"""


class Need:
    """Another bot, asked again and again. trouble: in words, empty when all is well. met: it was well at least once."""

    def __init__(self, name: str, port: int, ask: Callable[[int], bool | None] | None = None) -> None:
        self.name, self.port, self.ask = name, port, ask or asks
        self.trouble = f"no connection to {name} yet"
        self.back_at: float | None = None
        self.met = False

    def look(self, now: float) -> None:
        well = self.ask(self.port)
        if well is False:
            self.trouble = f"lost {self.name}" if self.met else f"no connection to {self.name} yet"
            self.back_at = None
        elif well and self.trouble:
            self.back_at = now if self.back_at is None else self.back_at
            if not self.met or now - self.back_at >= RECONNECT:
                self.trouble, self.met = "", True
            else:
                self.trouble = f"reconnecting to {self.name}"


def asks(port: int) -> bool | None:
    """Whether the bot at that port is well; None when that cannot be told now."""
    try:
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as sock:
            sock.settimeout(PATIENCE)
            sock.sendall(b"GET /health HTTP/1.1\r\nHost: bot\r\n\r\n")
            return sock.recv(64).startswith(b"HTTP/1.1 200")
    except TimeoutError:
        return None
    except OSError:
        return False


class Bot:
    """One process: a listener, a loop, and its troubles."""

    def __init__(self, folder: Path, name: str, port: int, needs: list[Need]) -> None:
        self.order = folder / "orders" / name
        self.name, self.port, self.needs = name, port, needs
        self.began, self.served = time.monotonic(), 0
        self.listener: socket.socket | None = None

    def run(self) -> None:
        signal.signal(signal.SIGHUP, self.read_anew)
        while True:
            self.obey()
            for need in self.needs:
                need.look(time.monotonic())
            until = time.monotonic() + TURN
            while (left := until - time.monotonic()) > 0:
                self.serve(left)

    def read_anew(self, *_: object) -> None:
        say("settings read anew")
        if self.told() == "stale":
            self.order.unlink(missing_ok=True)

    def told(self) -> str:
        try:
            return self.order.read_text().strip()
        except OSError:
            return ""

    def obey(self) -> None:
        told = self.told()
        if told == "hang":
            self.order.unlink(missing_ok=True)
            say("waiting for a page that never loads")
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                time.sleep(3600)
        if told == "break":
            if self.listener is not None:
                self.listener.close()
                self.listener = None
            say(TRACEBACK)
            while True:
                time.sleep(3600)
        if self.listener is None:
            self.listener = listen(self.port)
            say(f"{self.name} listens on port {self.port}")

    def serve(self, seconds: float) -> None:
        if self.listener is None:
            time.sleep(seconds)
            return
        if not select.select([self.listener], [], [], seconds)[0]:
            return
        try:
            sock, _ = self.listener.accept()
            with sock:
                sock.settimeout(PATIENCE)
                if sock.recv(4096):
                    self.served += 1
                    sock.sendall(self.answer())
        except OSError:
            return

    def answer(self) -> bytes:
        trouble = next((need.trouble for need in self.needs if need.trouble), "")
        status = "ok"
        if trouble:
            status = "critical" if any(need.met for need in self.needs) else "starting"
        elif self.told() == "stale":
            status, trouble = "degraded", "price list is three days old"
        uptime = round(time.monotonic() - self.began, 1)
        body = {"status": status, "message": trouble, "uptime_s": uptime, "progress": {"counter": self.served, "age_s": 0}}
        code = "503 Service Unavailable" if status in ("critical", "starting") else "200 OK"
        text = json.dumps(body).encode()
        head = f"HTTP/1.1 {code}\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n"
        return head.encode() + text


def listen(port: int) -> socket.socket:
    """The port is kept for this bot by the stage, which is bound to it without listening; hence SO_REUSEPORT."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    sock.bind(("127.0.0.1", port))
    sock.listen(64)
    return sock


def open_browser() -> None:
    """A child, as messenger bots have one; it ignores SIGTERM and does not notice when its bot is gone."""
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(3600)


def say(text: str) -> None:
    sys.stderr.write(text + "\n")


def main(argv: list[str]) -> None:
    given = dict(word.split("=", 1) for word in argv)
    folder, name = Path(given["folder"]), given["name"]
    with (folder / "starts" / f"{name}.starts").open("a") as file:
        file.write(f"{os.getpid()} {time.time():.3f}\n")
    if given.get("browser"):
        open_browser()
    pairs = [pair.split(":") for pair in given.get("needs", "").split(",") if pair]
    Bot(folder, name, int(given["port"]), [Need(other, int(port)) for other, port in pairs]).run()


if __name__ == "__main__":
    main(sys.argv[1:])
