"""The stage: a temporary folder with the daemon and its bots on it, what can be done to them, and what can be seen of them."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from recovery.adapters.processes import ProcessTable, hold
from recovery.ownership import untrusted
from watchdog.clock import Clock
from watchdog.demo.fleet import NAMES, configuration
from watchdog.demo.keeper import CONFIG, ENDED, LOG, STATE
from watchdog.demo.ports import Ports
from watchdog.demo.seen import Doc, Seen
from watchdog.errors import Unreachable, WatchdogError
from watchdog.state.store.open import NAME as STORE
from watchdog.state.store.reader import Reader
from watchdog.web.client import Client
from watchdog.web.wire import SOCKET_PATH_MAX

PREFIX = "bot-watchdog-demo-"
TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - mkdtemp makes it safe

PATIENCE = 2.0
"""Seconds for one answer of the daemon; a later look will do as well."""

CLEARED = 60.0
"""Seconds for the keeper to end daemon and bots."""


class StageError(WatchdogError):
    """The stage cannot be set up, or what stands on it fell over."""


class Stage:
    """set_up() first; clear() last, also after a failed set_up. bases: folders that may hold ours, the best first."""

    def __init__(self, clock: Clock, bases: Sequence[str] = (), take: Callable[[Sequence[str]], Ports] = Ports) -> None:
        self._clock, self._bases, self._take = clock, bases, take
        self._ports: Ports | None = None
        self._keeper: subprocess.Popen[bytes] | None = None
        self._reader: Reader | None = None
        self._services: Mapping[str, Doc] = {}
        self.folder = Path()

    @property
    def config(self) -> Path:
        return self.folder / CONFIG

    def set_up(self) -> None:
        """Raises StageError, OSError."""
        self.folder = _folder(self._bases or (tempfile.gettempdir(), *TEMPORARY))
        self._ports = self._take(NAMES)
        for name in ("orders", "starts"):
            (self.folder / name).mkdir()
        self.config.touch(mode=0o600)
        self.config.write_text(configuration(self.folder, self._ports.numbers))
        self._client = Client(self.folder / "control.sock")
        self._keeper = subprocess.Popen(
            [sys.executable, "-m", "watchdog.demo.keeper", str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the show; the keeper clears away afterwards
        )

    def look(self) -> Seen:
        """Raises StageError when the daemon has ended by itself."""
        if (self.folder / ENDED).exists():
            code = (self.folder / ENDED).read_text()
            raise StageError(f"the daemon ended by itself with exit code {code}")
        try:
            self._services = {each["name"]: each for each in self._client.call("status", timeout=PATIENCE)["services"]}
        except Unreachable:
            pass  # not there yet, or busy
        now, reader = self._clock.now(), self._open()
        if reader is None:
            return Seen(now, self._services)
        incidents = tuple(reversed(reader.incidents()))
        return Seen(now, self._services, incidents, reader.runs(), reader.notices(), self._starts())

    def _open(self) -> Reader | None:
        path = self.folder / STATE / STORE
        if self._reader is None and path.exists():
            try:
                self._reader = Reader.open(path)
            except sqlite3.Error:
                return None  # it is being made
        return self._reader

    def _starts(self) -> dict[str, int]:
        files = {name: self.folder / "starts" / f"{name}.starts" for name in NAMES}
        return {name: file.read_text().count("\n") if file.exists() else 0 for name, file in files.items()}

    def order(self, name: str, word: str) -> None:
        """Tells a bot how to fall ill."""
        fresh = self.folder / "orders" / f".{name}"
        fresh.write_text(word)
        fresh.rename(self.folder / "orders" / name)

    async def kill(self, name: str) -> None:
        """SIGKILL to the process of that bot, by its identity."""
        table = ProcessTable(self._clock)
        snapshot = await table.snapshot(0)
        for row in snapshot.carriers(name, str((self.folder / STATE).resolve())):
            held = hold(snapshot.identity(row), table.boot_id)
            if held is not None:
                with held:
                    held.signal(signal.SIGKILL)

    async def strangers(self, name: str) -> int:
        """Processes of that bot that do not belong to its newest instance: what an ended one left behind."""
        snapshot = await ProcessTable(self._clock).snapshot(0)
        rows = snapshot.carriers(name, str((self.folder / STATE).resolve()))
        newest = max((row.stat.start_ticks, row.stat.pid) for row in rows)[1] if rows else 0
        latest = next((row.marker.main for row in rows if row.stat.pid == newest and row.marker is not None), None)
        return sum(1 for row in rows if row.marker is not None and row.marker.main != latest)

    def ctl(self, *words: str) -> bool:
        """The real watchdogctl, on our own output. True when it said that all is fine."""
        command = [sys.executable, "-m", "watchdog", "-c", str(self.config), *words]
        return subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False).returncode == 0

    def last_words(self, count: int = 5) -> list[str]:
        """The end of the daemon's log."""
        try:
            return (self.folder / LOG).read_text(errors="replace").splitlines()[-count:]
        except OSError:
            return []

    def clear(self) -> bool:
        """Ends daemon and bots and removes the folder. True when nothing is left."""
        if self._reader is not None:
            self._reader.close()
        cleared = self._end_keeper()
        if self._ports is not None:
            self._ports.close()
        return cleared

    def _end_keeper(self) -> bool:
        made = self.folder.name.startswith(PREFIX)
        if self._keeper is None or self._keeper.stdin is None:
            if made:
                shutil.rmtree(self.folder, ignore_errors=True)
            return True
        self._keeper.stdin.close()
        try:
            return self._keeper.wait(CLEARED) == 0
        except subprocess.TimeoutExpired:
            return False


def _folder(bases: Sequence[str]) -> Path:
    """A new folder of our own, on a path that the daemon trusts and that is short enough for a socket."""
    reasons = []
    for base in dict.fromkeys(bases):
        try:
            folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base)).resolve()
        except OSError as error:
            reasons.append(f"{base}: {error.strerror}")
            continue
        reason = untrusted(folder)
        if reason is None and len(bytes(folder / "control.sock")) > SOCKET_PATH_MAX:
            reason = f"{folder} is too long for a socket"
        if reason is None:
            return folder
        folder.rmdir()
        reasons.append(reason)
    raise StageError("no folder for the demo: " + "; ".join(reasons))
