"""A private Docker engine on one machine, without a registry, and without a change to the machine's network.

Its containers share the host's network and borrow its /usr and Python, so that an empty image is enough. Its own folder holds its
data, sockets and log; nothing of it is left when it is closed, or when the test run is killed.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from time import monotonic, time
from time import sleep as pause
from typing import Any

from tests.stories.harness import ROOT, pids

IMAGE = "empty:1"
FLAGS = ("--iptables=false", "--ip-masq=false", "--bridge=none")
DRIVER = "vfs"
"""Copies nothing of an empty image, and works on any file system, an overlay included."""
PYTHON = os.path.realpath(sys.executable)
LENT = ("/usr", "/lib", "/lib64", "/bin", sys.base_prefix)
"""Folders of the host that every container sees, read-only."""
LOOK = 0.05
"""Seconds between two looks."""


class EngineFailed(Exception):
    """The engine did not come up; the message ends with its last words."""


@dataclass(frozen=True, slots=True)
class Event:
    """One line of `docker events` about a container. signal, code: as the engine gives them."""

    at: float
    action: str
    name: str
    id: str
    signal: str = ""
    code: str = ""

    def __str__(self) -> str:
        return " ".join(word for word in (self.action, self.signal, self.code) if word)


class Engine:
    """dockerd beside a containerd that outlives it, as their units are on a host.

    folder: short, for a socket's path has 107 bytes at most.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "docker.sock"
        self.host = f"unix://{self.socket}"
        self.log = folder / "dockerd.log"
        self._daemon: subprocess.Popen[bytes] | None = None
        self._containerd: subprocess.Popen[bytes] | None = None
        self._listeners: list[subprocess.Popen[bytes]] = []
        self._cleared_at = 0.0
        # It waits for the end of this process, whatever that is, and tidies up.
        argv = [sys.executable, str(Path(__file__)), str(folder)]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        self._heir = subprocess.Popen(argv, stdin=subprocess.PIPE, env=env, start_new_session=True)

    # What can befall it.

    def start(self) -> None:
        """It answers when this returns. Raises EngineFailed."""
        assert self._daemon is None
        door = self.folder / "containerd.sock"
        if self._containerd is None:
            settings = self.folder / "containerd.toml"
            settings.write_text('version = 2\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n')
            own = {"config": settings, "address": door, "root": self.folder / "images", "state": self.folder / "tasks"}
            self._containerd = self._launch("containerd", **own)
        (self.folder / "pid").unlink(missing_ok=True)
        own = {"data-root": self.folder / "data", "exec-root": self.folder / "exec", "pidfile": self.folder / "pid"}
        self._daemon = self._launch(
            "dockerd", *FLAGS, f"--host={self.host}", f"--storage-driver={DRIVER}", containerd=door, **own
        )
        end = monotonic() + 30
        while not self.answers():
            if monotonic() > end or self._daemon.poll() is not None:
                last = self.log.read_text(errors="replace").splitlines()[-5:]
                raise EngineFailed("dockerd did not come up: " + " | ".join(last))
            pause(LOOK)
        self._listen()

    def stop(self) -> None:
        """In order, as `systemctl stop docker` does; it stops its containers first."""
        assert self._daemon is not None
        self._daemon.send_signal(signal.SIGCONT)
        self._daemon.terminate()
        self._daemon.wait(60)
        self._daemon = None

    def restart(self) -> None:
        self.stop()
        self.start()

    def kill(self) -> None:
        """kill -9: the containers live on."""
        assert self._daemon is not None
        self._daemon.kill()
        self._daemon.wait(10)
        self._daemon = None

    def hang(self) -> None:
        """From now on it accepts and never answers."""
        assert self._daemon is not None
        self._daemon.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        assert self._daemon is not None
        self._daemon.send_signal(signal.SIGCONT)

    @property
    def runs(self) -> bool:
        return self._daemon is not None

    def answers(self) -> bool:
        try:
            return self._ask("/_ping", 2) == b"OK"
        except (OSError, http.client.HTTPException):
            return False

    # What a person and a test ask of it.

    def docker(self, *words: str, code: int | None = 0) -> str:
        """The command line, as a person types it. code: what it must exit with; None: anything."""
        done = subprocess.run(
            ["docker", "-H", self.host, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60
        )
        assert code is None or done.returncode == code, f"docker {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout.strip()

    def run(self, name: str, argv: Sequence[str], *flags: str, policy: str = "no") -> str:
        """A new container; its id. argv runs with the host's programs."""
        return self.docker("run", "-d", *self.shape(name, *flags, policy=policy), IMAGE, *argv)

    def shape(self, name: str, *flags: str, policy: str = "no") -> list[str]:
        """The flags of `docker create` and `docker run` for one of our containers."""
        lent = [word for folder in dict.fromkeys(LENT) if Path(folder).exists() for word in ("-v", f"{folder}:{folder}:ro")]
        return ["--name", name, "--network", "host", "--restart", policy, *lent, *flags]

    def inspect(self, name: str) -> dict[str, Any]:
        """What the API says of a container; empty when there is none."""
        found: dict[str, Any] = json.loads(self._ask(f"/containers/{name}/json", 10))
        return found if "State" in found else {}

    def state(self, name: str) -> dict[str, Any]:
        return dict(self.inspect(name).get("State", {}))

    def status(self, name: str) -> str:
        """running, exited, paused, restarting; `gone` when there is none."""
        return str(self.state(name).get("Status", "gone"))

    def pid(self, name: str) -> int:
        """On the host, of the container's first process; 0 while it does not run."""
        return int(self.state(name).get("Pid", 0))

    def processes(self, name: str) -> set[int]:
        """All of a container, on the host."""
        mark = str(self.inspect(name)["Id"])
        return {pid for pid in pids() if mark in _cgroup(pid)}

    def signal(self, name: str, number: int) -> None:
        """From the host, past the engine: as a crash, or as the kernel does it."""
        os.kill(self.pid(name) or sys.exit(f"{name} does not run"), number)

    def by_hand(self, name: str) -> bool:
        """HasBeenManuallyStopped, from the engine's own file; it is not in `inspect`. Readable while the engine is down."""
        for file in (self.folder / "data" / "containers").glob("*/config.v2.json"):
            document = json.loads(file.read_text())
            if document["Name"] == f"/{name}":
                return bool(document["HasBeenManuallyStopped"])
        raise KeyError(name)

    def events(self, name: str, *, but: tuple[str, ...] = ("create", "attach", "exec")) -> list[Event]:
        """Of this name since the engine was empty, oldest first; create, attach and exec_* are left out."""
        texts = [file.read_text().rpartition("\n")[0] for file in sorted(self.folder.glob("events-*.jsonl"))]
        found = [_event(line) for text in texts for line in text.splitlines()]
        own = [event for event in found if event.name == name and event.at > self._cleared_at]
        return [event for event in own if not event.action.startswith(but)]

    # Its beginning and its end.

    def load(self) -> None:
        """The image: folders that Docker and the programs expect, and nothing else."""
        made = BytesIO()
        with tarfile.open(fileobj=made, mode="w") as archive:
            for name in ("tmp", "run", "proc", "sys", "dev", "etc", "root", "var"):
                folder = tarfile.TarInfo(name)
                folder.type, folder.mode = tarfile.DIRTYPE, 0o1777 if name == "tmp" else 0o755
                archive.addfile(folder)
        subprocess.run(
            ["docker", "-H", self.host, "import", "-", IMAGE],
            input=made.getvalue(),
            stdout=subprocess.DEVNULL,
            check=True,
            timeout=60,
        )

    def clear(self) -> None:
        """Up and answering, without a container."""
        if not self.runs:
            self.start()
        self.go_on()
        if ids := self.docker("ps", "-aq").split():
            self.docker("rm", "-f", "-v", *ids)
        self._cleared_at = time()

    def close(self) -> None:
        try:
            with suppress(EngineFailed, AssertionError, OSError, subprocess.SubprocessError):
                self.clear()
        finally:
            if self.runs:
                with suppress(subprocess.TimeoutExpired):
                    self.stop()
            for process in [*self._listeners, *([self._containerd] if self._containerd else [])]:
                process.kill()
                process.wait()
            self._heir.communicate(timeout=60)

    def _launch(self, program: str, *flags: str, **paths: Path) -> subprocess.Popen[bytes]:
        argv = [program, *flags, *(f"--{key}={path}" for key, path in paths.items())]
        with self.log.open("ab") as log:
            return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def _listen(self) -> None:
        file = self.folder / f"events-{len(self._listeners):03}.jsonl"
        with file.open("wb") as out:
            argv = ["docker", "-H", self.host, "events", "--since", "0", "--filter", "type=container", "--format", "{{json .}}"]
            self._listeners.append(subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL))

    def _ask(self, path: str, seconds: float) -> bytes:
        talk = http.client.HTTPConnection("docker", timeout=seconds)
        talk.sock = socket.socket(socket.AF_UNIX)
        try:
            talk.sock.settimeout(seconds)
            talk.sock.connect(str(self.socket))
            talk.request("GET", path)
            return talk.getresponse().read()
        finally:
            talk.close()


def sweep(folder: Path) -> None:
    """Processes, containers and mounts that an engine left, when it ended badly: all carry its folder or a container's id."""
    containers = folder / "data" / "containers"
    ids = [each.name for each in containers.iterdir()] if containers.exists() else []
    while left := [pid for pid in pids() if _of_engine(pid, folder) or any(each in _cgroup(pid) for each in ids)]:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        pause(LOOK)
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for mount in reversed([each for each in mounts if each.startswith(f"{folder}/")]):
        subprocess.run(["umount", "-l", mount], check=False, capture_output=True)
    shutil.rmtree(folder, ignore_errors=True)


def _of_engine(pid: int, folder: Path) -> bool:
    """dockerd, containerd or one of its shims."""
    try:
        program, *words = Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")
    except OSError:
        return False
    return Path(program).name.startswith(("dockerd", "containerd")) and any(str(folder) in word for word in words)


def _cgroup(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cgroup").read_text()
    except OSError:
        return ""


def _event(line: str) -> Event:
    found = json.loads(line)
    facts = found["Actor"]["Attributes"]
    words = facts.get("signal", ""), facts.get("exitCode", "")
    return Event(found["timeNano"] / 1e9, found["Action"], facts["name"], found["Actor"]["ID"], *words)


@contextmanager
def private_engine() -> Iterator[Engine]:
    """Raises EngineFailed."""
    engine = Engine(Path(tempfile.mkdtemp(prefix="bwd-")))
    try:
        engine.start()
        engine.load()
        yield engine
    finally:
        engine.close()


if __name__ == "__main__":
    sys.stdin.read()
    sweep(Path(sys.argv[1]))
