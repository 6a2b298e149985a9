"""A Docker engine on a unix socket, as ill as a test wants it, with real processes standing in for containers.

It speaks as much of the API as the product asks for. Its containers are in cgroups of a fake tree beside the socket, version 2,
driver systemd, which `groups` reads.
"""

from __future__ import annotations

import json
import socket
import socketserver
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from recovery.adapters.cgroups import Cgroups

CANARY = "label-canary-7f3a"
"""Stands in Env, Cmd and Labels of every container, and nowhere else."""

RESTART_AFTER = 0.2
"""Seconds until a policy starts a container that ended."""


@dataclass
class Container:
    name: str
    id: str
    argv: Sequence[str]
    policy: str = "no"
    stop_signal: str | None = None
    status: str = "created"
    started: str = "0001-01-01T00:00:00Z"
    exit_code: int = 0
    error: str = ""
    restarts: int = 0
    health: str | None = None
    ports: tuple[int, ...] = ()
    log: bytes = b""
    process: subprocess.Popen[bytes] | None = None
    by_hand: bool = False
    fleeting: bool = False
    starts: list[float] = field(default_factory=list)


class FakeEngine:
    """faults: operation (version, ping, info, list, inspect, start, logs, events) or `operation NAME` to what goes wrong with it:
    `hang`, `500`, `503`, `cut` (the answer breaks off), `nonsense` (it is no JSON), `odd` (JSON of another shape), `gone` (the
    connection is cut before an answer), or a number of seconds that it takes.

    refusals: what the next starts answer, (code, words). late: seconds after which a start that hangs has its effect after all.
    notices: seconds from the death of a container until the engine knows. asked: operations, in order.
    """

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "docker.sock"
        self.url = f"unix://{self.socket}"
        self.root = folder / "data"
        self.cgroup, self.proc = folder / "cgroup", folder / "proc"
        self.groups = Cgroups(self.cgroup, self.proc)
        self.containers: dict[str, Container] = {}
        self.faults: dict[str, str | float] = {}
        self.refusals: list[tuple[int, str]] = []
        self.late: float | None = None
        self.notices = 0.0
        self.asked: list[str] = []
        self.log: list[dict[str, Any]] = []
        self.changed = threading.Condition()
        self.open: set[socket.socket] = set()
        self._server: _Server | None = None
        self._number = 0
        self._ending = False

    def appear(self) -> None:
        self._server = _Server(str(self.socket), self)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), name="fake engine", daemon=True).start()

    def disappear(self) -> None:
        """As by kill -9: the socket goes, every connection is cut; containers live on."""
        if self._server is not None:
            self._server.gone.set()
            self._server.shutdown()
            self._server.server_close()
            self._server = None
            self.socket.unlink(missing_ok=True)
        for each in list(self.open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        with self.changed:
            self.changed.notify_all()

    def close(self) -> None:
        self._ending = True
        self.disappear()
        for container in self.containers.values():
            if container.process is not None:
                container.process.kill()
                container.process.wait()

    def make(self, name: str, *argv: str | Path, running: bool = True, **more: Any) -> Container:
        self._number += 1
        identity = f"{self._number:02x}" * 32
        container = Container(name, identity, [str(each) for each in argv] or ["sleep", "60"], **more)
        self.containers[name] = container
        self.tell("create", container)
        if running:
            self.run(container)
        return container

    def run(self, container: Container) -> None:
        """Start it, whoever wanted it."""
        with self.changed:
            if container.status in ("running", "paused"):
                return
            process = subprocess.Popen(container.argv, start_new_session=True, stdout=subprocess.DEVNULL)
            container.process = process
            container.started = datetime.now(UTC).isoformat().replace("+00:00", "789Z")
            container.status, container.by_hand, container.error = "running", False, ""
            container.starts.append(time.time())
            self.enter(container, process.pid)
        self.tell("start", container)
        threading.Thread(target=self._mourn, args=(container, process), daemon=True).start()

    def enter(self, container: Container, pid: int) -> None:
        """The process is in the container's cgroup now."""
        path = f"system.slice/docker-{container.id}.scope"
        (self.proc / str(pid)).mkdir(parents=True, exist_ok=True)
        (self.proc / str(pid) / "cgroup").write_text(f"0::/{path}\n")
        folder = self.cgroup / path
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "cgroup.procs").open("a") as members:
            members.write(f"{pid}\n")
        (folder / "cpu.stat").write_text("usage_usec 1500000\nuser_usec 1000000\n")
        (folder / "memory.current").write_text("50000000\n")
        (folder / "memory.stat").write_text("anon 40000000\ninactive_file 10000000\n")
        (folder / "memory.max").write_text("max\n")
        (folder / "cgroup.freeze").write_text("0\n")

    def pause(self, container: Container, frozen: bool = True) -> None:
        container.status = "paused" if frozen else "running"
        (self.cgroup / f"system.slice/docker-{container.id}.scope" / "cgroup.freeze").write_text(f"{int(frozen)}\n")
        self.tell("pause" if frozen else "unpause", container)

    def remove(self, name: str) -> None:
        container = self.containers.pop(name)
        if container.process is not None:
            container.process.kill()
        self.tell("destroy", container)

    def tell(self, action: str, container: Container, kind: str = "container", **attributes: str) -> None:
        now = time.time_ns()
        told = {"name": container.name, "image": "bot:1", "com.example.secret": CANARY, **attributes}
        event = {"Type": kind, "Action": action, "Actor": {"ID": container.id, "Attributes": told}, "time": now // 10**9}
        with self.changed:
            self.log.append({**event, "timeNano": now})
            del self.log[:-256]
            self.changed.notify_all()

    def find(self, name: str) -> Container | None:
        """As Docker does: by name, then by the beginning of an id."""
        begins = (each for each in self.containers.values() if each.id.startswith(name))
        return self.containers.get(name) or next(begins, None)

    def count(self, operation: str) -> int:
        return self.asked.count(operation)

    def _mourn(self, container: Container, process: subprocess.Popen[bytes]) -> None:
        code = process.wait()
        time.sleep(self.notices)
        with self.changed:
            if self._ending or container.process is not process:
                return
            container.exit_code = code if code >= 0 else 128 - code
            again = container.policy == "always" and not container.by_hand
            container.status = "restarting" if again else "exited"
        self.tell("die", container, exitCode=str(container.exit_code))
        if again:
            time.sleep(RESTART_AFTER)
            if not self._ending and container.name in self.containers:
                container.restarts += 1
                self.run(container)


@contextmanager
def fake_engine(folder: Path) -> Iterator[FakeEngine]:
    engine = FakeEngine(folder)
    engine.appear()
    try:
        yield engine
    finally:
        engine.close()


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, path: str, engine: FakeEngine) -> None:
        super().__init__(path, _Handler)
        self.engine = engine
        self.gone = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A cut connection is what tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.engine.open.add(self.connection)

    def finish(self) -> None:
        self.server.engine.open.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def address_string(self) -> str:
        return "socket"

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        engine = self.server.engine
        url = urlsplit(self.path)
        path = url.path[url.path.index("/", 1) :] if url.path.startswith("/v1.") else url.path
        operation, name = _operation(path)
        engine.asked.append(operation)
        fault = engine.faults.get(f"{operation} {name}", engine.faults.get(operation))
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        if isinstance(fault, float):
            time.sleep(fault)
        elif fault == "hang":
            self._hang(operation, name)
            return
        elif fault == "gone":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        elif fault in ("500", "503"):
            self._say(int(fault), {"message": "something went\nwrong inside"})
            return
        elif fault == "nonsense":
            self._send(200, b'{"State": {')
            return
        elif fault == "odd":
            self._say(200, [{"x": 1}] if operation != "list" else {"x": 1})
            return
        answer = getattr(self, f"_{operation}")(name, query)
        if answer is not None:
            self._say(*answer, cut=fault == "cut")

    def _hang(self, operation: str, name: str) -> None:
        engine = self.server.engine
        if operation == "start" and engine.late is not None and not self.server.gone.wait(engine.late):
            engine.run(engine.containers[name])
        self.server.gone.wait(60)
        self.close_connection = True

    def _version(self, name: str, query: Mapping[str, str]) -> tuple[int, Any]:
        return 200, {"ApiVersion": "1.41", "Version": "20.10.24"}

    def _ping(self, name: str, query: Mapping[str, str]) -> None:
        self._send(200, b"OK", "text/plain")

    def _info(self, name: str, query: Mapping[str, str]) -> tuple[int, Any]:
        return 200, {"DockerRootDir": str(self.server.engine.root), "ServerVersion": "20.10.24"}

    def _list(self, name: str, query: Mapping[str, str]) -> tuple[int, Any]:
        return 200, [_row(each) for each in self.server.engine.containers.values()]

    def _inspect(self, name: str, query: Mapping[str, str]) -> tuple[int, Any]:
        container = self.server.engine.find(name)
        return (200, _inspected(container)) if container else (404, {"message": f"No such container: {name}"})

    def _start(self, name: str, query: Mapping[str, str]) -> tuple[int, Any] | None:
        engine = self.server.engine
        container = engine.find(name)
        if container is None:
            return 404, {"message": f"No such container: {name}"}
        if engine.refusals:
            code, words = engine.refusals.pop(0)
            container.error = words
            return code, {"message": words}
        if container.status == "running":
            self._send(304, b"")
            return None
        engine.run(container)
        self._send(204, b"")
        return None

    def _logs(self, name: str, query: Mapping[str, str]) -> tuple[int, Any] | None:
        container = self.server.engine.find(name)
        if container is None:
            return 404, {"message": f"No such container: {name}"}
        self._send(200, container.log, "application/octet-stream", cut=self.server.engine.faults.get("logs") == "cut")
        return None

    def _events(self, name: str, query: Mapping[str, str]) -> None:
        engine = self.server.engine
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        since = float(query["since"]) * 1e9 if "since" in query else time.time_ns()
        until = float(query["until"]) * 1e9 if "until" in query else None
        sent = since - 1
        while not self.server.gone.is_set():
            with engine.changed:
                new = [each for each in engine.log if each["timeNano"] > sent and (until is None or each["timeNano"] <= until)]
            for each in new:
                self._chunk(json.dumps(each).encode() + b"\n")
                sent = each["timeNano"]
            if until is not None:
                self._chunk(b"")
                return
            with engine.changed:
                if not any(each["timeNano"] > sent for each in engine.log):
                    engine.changed.wait(0.2)
        self.close_connection = True

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _say(self, code: int, body: Any, *, cut: bool = False) -> None:
        self._send(code, json.dumps(body).encode(), cut=cut)

    def _send(self, code: int, body: bytes, kind: str = "application/json", *, cut: bool = False) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        if code not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if cut else body)
        if cut:
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True


def _operation(path: str) -> tuple[str, str]:
    parts = [unquote(part) for part in path.strip("/").split("/")]
    if parts[0] != "containers":
        return parts[0].strip("_"), ""
    if len(parts) == 2:
        return "list", ""
    return {"json": "inspect"}.get(parts[2], parts[2]), parts[1]


def _row(container: Container) -> dict[str, Any]:
    state = container.status
    words = {
        "running": "Up 5 minutes",
        "paused": "Up 5 minutes (Paused)",
        "exited": f"Exited ({container.exit_code}) 3 seconds ago",
    }
    mark = {None: "", "starting": " (health: starting)"}.get(container.health, f" ({container.health})")
    return {
        "Id": container.id,
        "Names": [f"/{container.name}", f"/other/{container.name}"],
        "State": state,
        "Status": words.get(state, state.capitalize()) + (mark if state == "running" else ""),
        "Labels": {"com.example.secret": CANARY},
        "Command": CANARY,
        "Ports": [{"PrivatePort": 80, "PublicPort": port, "Type": "tcp"} for port in container.ports] + [{"PrivatePort": 81}],
    }


def _inspected(container: Container) -> dict[str, Any]:
    alive = container.status in ("running", "paused")
    state: dict[str, Any] = {
        "Status": container.status,
        "Running": alive,
        "Paused": container.status == "paused",
        "Restarting": container.status == "restarting",
        "OOMKilled": False,
        "Dead": False,
        "Pid": container.process.pid if alive and container.process else 0,
        "ExitCode": 0 if alive else container.exit_code,
        "Error": container.error,
        "StartedAt": container.started,
        "FinishedAt": "0001-01-01T00:00:00Z",
    }
    if container.health:
        log = [{"ExitCode": 1, "Output": "an older answer"}, {"ExitCode": 1, "Output": "connection refused\nand more"}]
        state["Health"] = {"Status": container.health, "FailingStreak": 3, "Log": log}
    return {
        "Id": container.id,
        "Name": f"/{container.name}",
        "State": state,
        "Args": [CANARY],
        "RestartCount": container.restarts,
        "Config": {
            "Image": "bot:1",
            "Env": [f"TOKEN={CANARY}"],
            "Cmd": [CANARY],
            "Labels": {"com.example.secret": CANARY},
            **({"StopSignal": container.stop_signal} if container.stop_signal else {}),
        },
        "HostConfig": {
            "RestartPolicy": {"Name": container.policy, "MaximumRetryCount": 0},
            "Memory": 512 << 20,
            "AutoRemove": container.fleeting,
        },
    }
