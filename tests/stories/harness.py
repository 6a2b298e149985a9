"""A town of real bots with the real daemon over it, at a tempo of one second; nothing of it is left when a story ends.

The daemon is a process of its own; what it did is read from its file with plain SQL, from `watchdogctl -o json` and from what the
bots wrote down themselves.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import sleep as pause
from typing import Any

from tests.fakes.bots import alive
from tests.fakes.ports import free_port
from tests.invariants.checker import Terms, check
from watchdog.clock import Clock

BOT = Path(__file__).parents[1] / "fakes" / "targets" / "bot.py"
ROOT = Path(__file__).parents[2]
CLOCK = Clock()
POLL = 0.02
"""Seconds between two looks of a story."""

TEMPO: dict[str, Any] = {"interval": "1s", "startup_grace": "2s", "term_grace": "1s"}
GUARDS: dict[str, Any] = {"settle": "2s", "reconnect": "3s", "proof": "10s", "cooldown": "3s"}


@dataclass(frozen=True, slots=True)
class Start:
    """One line of a bot's own counter."""

    pid: int
    at: float


@dataclass
class Town:
    """folder: everything lies in it, but for the socket, whose path must be short."""

    folder: Path
    sockets: Path
    services: dict[str, dict[str, Any]] = field(default_factory=dict)
    guards: dict[str, Any] = field(default_factory=lambda: dict(GUARDS))
    defaults: dict[str, Any] = field(default_factory=lambda: dict(TEMPO))
    more: dict[str, Any] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    daemon: subprocess.Popen[bytes] | None = None
    lives: int = 0
    log: Path = Path("/dev/null")
    born: float = 0.0

    def __post_init__(self) -> None:
        self.born = CLOCK.now()

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def db(self) -> Path:
        return self.state / "state.db"

    @property
    def config(self) -> Path:
        return self.folder / "watchdog.yaml"

    def bot(self, name: str, *options: str, probe: str = "http", needs: str = "", **keys: Any) -> None:
        """A service with its bot. needs: the bot and the graph know this dependency."""
        port = self.ports[name] = free_port()
        words = [f"needs={self.ports[needs]}", *options] if needs else list(options)
        where = {"http": f"http://127.0.0.1:{port}/health"} if probe == "http" else {"tcp": f"127.0.0.1:{port}"}
        argv = [sys.executable, "-S", "-E", str(BOT), str(self.folder), name, str(port), *words]
        service: dict[str, Any] = {"probe": where, "runtime": {"process": {"start": argv}}}
        if needs:
            service["depends_on"] = [needs]
        self.services[name] = service | keys

    def write(self) -> None:
        self.folder.mkdir(exist_ok=True)
        document = {
            "state": {"dir": str(self.state)},
            "control": {"socket": str(self.sockets / "control.sock")},
            "defaults": self.defaults,
            "guards": self.guards,
            **self.more,
            "services": self.services,
        }
        self.config.write_text(json.dumps(document, indent=1))

    def start(self, *, ready: bool = True, argv: tuple[str, ...] = (), env: Mapping[str, str] | None = None) -> None:
        """One more life of the daemon. ready: wait until it says that it is."""
        assert self.daemon is None
        if not self.config.exists():
            self.write()
        self.lives += 1
        self.log = self.folder / f"daemon-{self.lives}.log"
        with self.log.open("wb") as log:
            self.daemon = subprocess.Popen(
                [*argv, sys.executable, "-m", "watchdog", "-c", str(self.config), "run"],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **(env or {})},
            )
        if ready:
            self.until(lambda: self.said("ready"), 20, "the daemon is ready")

    def said(self, event: str) -> bool:
        """The daemon of this life has logged the event."""
        return f'"event":"{event}"' in self.log.read_text().replace('": "', '":"')

    def signal(self, number: int) -> None:
        assert self.daemon is not None
        self.daemon.send_signal(number)

    def kill(self) -> None:
        """kill -9 of the daemon."""
        assert self.daemon is not None
        self.daemon.kill()
        self.daemon.wait()
        self.daemon = None

    def end(self, seconds: float = 10) -> int:
        """A graceful end; its exit code."""
        assert self.daemon is not None
        self.daemon.terminate()
        code = self.daemon.wait(seconds)
        self.daemon = None
        return code

    def rows(self, sql: str, *args: Any) -> list[sqlite3.Row]:
        """Read beside the daemon; nothing while there is no file yet."""
        try:
            with closing(sqlite3.connect(f"{self.db.absolute().as_uri()}?mode=ro", uri=True, timeout=5)) as conn:
                conn.row_factory = sqlite3.Row
                return conn.execute(sql, args).fetchall()
        except sqlite3.OperationalError:
            return []

    def count(self, sql: str, *args: Any) -> int:
        """The first column of the first row."""
        found = self.rows(sql, *args)
        return int(found[0][0] or 0) if found else 0

    def incidents(self, service: str) -> list[sqlite3.Row]:
        """Those that are listed: confirmed, and not folded into another one."""
        sql = "SELECT * FROM incidents WHERE service = ? AND confirmed_at IS NOT NULL AND parent IS NULL ORDER BY id"
        return self.rows(sql, service)

    def healed(self, service: str) -> bool:
        found = self.incidents(service)
        return bool(found) and found[-1]["closed_at"] is not None and found[-1]["outcome"] == "healed"

    def runs(self, service: str, playbook: str = "%") -> list[sqlite3.Row]:
        """The runs after the bring-up."""
        return self.rows(
            "SELECT * FROM runs WHERE service = ? AND playbook != 'bring-up' AND playbook LIKE ? ORDER BY id", service, playbook
        )

    def decisions(self, service: str) -> list[str]:
        return [
            f"{row['step']} {row['verdict']}: {row['reason']}"
            for row in self.rows("SELECT * FROM decisions WHERE service = ? ORDER BY at, id", service)
        ]

    def ctl(self, *words: str, code: int | None = 0) -> Any:
        """The JSON that `watchdogctl` prints."""
        return json.loads(self.text(*words, "-o", "json", code=code) or "null")

    def text(self, *words: str, code: int | None = 0) -> str:
        """What `watchdogctl` prints for people. code: what it must exit with; None: anything."""
        done = subprocess.run(
            [sys.executable, "-m", "watchdog", "-c", str(self.config), *words],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        assert code is None or done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def starts(self, name: str) -> list[Start]:
        file = self.folder / "starts" / f"{name}.starts"
        lines = file.read_text().splitlines() if file.exists() else []
        return [Start(int(pid), float(at)) for pid, at in (line.split() for line in lines)]

    def pid(self, name: str) -> int:
        """The newest instance."""
        return self.starts(name)[-1].pid

    def mood(self, name: str, mood: str) -> None:
        folder = self.folder / "moods"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(mood)

    def asked(self, name: str) -> list[float]:
        """When the bot was asked, wall seconds."""
        file = self.folder / "asked" / name
        return [float(line.split()[0]) for line in file.read_text().splitlines()] if file.exists() else []

    def ok(self, *names: str) -> bool:
        """The newest visible state of each, all when none is named, is ok."""
        found = {
            row["name"]: row["state"]
            for row in self.rows("SELECT name, state FROM segments JOIN services ON id = service_id WHERE until IS NULL")
        }
        return all(found.get(name) == "ok" for name in names or self.services)

    def until(self, true: Callable[[], bool], seconds: float, what: str) -> None:
        end = CLOCK.monotonic() + seconds
        while not true():
            if CLOCK.monotonic() > end or (self.daemon is not None and self.daemon.poll() is not None):
                raise AssertionError(f"not within {seconds:g} s: {what}\n{self.report()}")
            pause(POLL)

    def breaches(self, **terms: Any) -> list[str]:
        """What the outside checker finds, and bots that ever ran twice."""
        logs = sorted((self.folder / "logs").glob("*.jsonl")) if (self.folder / "logs").exists() else []
        found = check(self.db, starts=self.folder / "starts", logs=logs, terms=Terms(**terms))
        doubles = self.folder / "doubles"
        return found + [f"{file.name} ran twice" for file in (sorted(doubles.iterdir()) if doubles.exists() else ())]

    def carriers(self) -> list[int]:
        """Living processes that carry the marker of this town."""
        mark = f"BOT_WATCHDOG_STATE={self.state.resolve()}".encode()
        return [pid for pid in pids() if mark in environment(pid) and alive(pid)]

    def report(self) -> str:
        """What a person wants to see of a story that failed."""
        lines = [
            f"{row['at'] - self.born:7.2f} {row['service']} {row['kind']}: {row['text']}"
            for row in self.rows("SELECT * FROM timeline ORDER BY at, id")
        ]
        lines += [
            f"run {dict(row)}"
            for row in self.rows(
                "SELECT id, service, playbook, started_at, ended_at, outcome, detail, charged, refunded FROM runs ORDER BY id"
            )
            if row["playbook"] != "bring-up"
        ]
        tail = self.log.read_text(errors="replace").splitlines()[-15:] if self.log.is_file() else []
        return "\n".join([*lines[-60:], *tail])

    def close(self) -> None:
        """The daemon first, then every bot, until none is left."""
        if self.daemon is not None:
            self.daemon.send_signal(signal.SIGCONT)
            self.kill()
        while left := self.carriers():
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            pause(POLL)
        shutil.rmtree(self.sockets, ignore_errors=True)


@contextmanager
def town(folder: Path) -> Iterator[Town]:
    folder.mkdir(parents=True, exist_ok=True)
    made = Town(folder, Path(tempfile.mkdtemp(prefix="bw-")))
    try:
        yield made
    finally:
        made.close()


def pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
