"""Fifty containers over a minute: what watching them costs, beside `docker stats` and Docker's own health checks.

    python -m bench.docker [--count 50] [--length 60]

Needs root and `dockerd`; it starts a private engine. CPU is user and system time of whole families of processes by /proc: the
watcher, and the engine with containerd and its shims, whose children are the programs that a health check runs. What the engine
costs with the same containers and nobody watching is shown first, and taken off in the column `more`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.ports import free_port
from tests.live.engine import Engine, private_engine
from tests.live.lodging import lodge

TICK = os.sysconf("SC_CLK_TCK")
INTERVAL = 30
"""Seconds from one check to the next, ours and Docker's."""

SETTLES = 8.0
"""Seconds for a watcher to begin, with all its imports, before it is measured."""


@dataclass(frozen=True, slots=True)
class Spent:
    """CPU seconds."""

    watcher: float
    engine: float


def cpu_of(pid: int) -> float:
    """Of a process and of its children that have ended; 0 when it is gone."""
    try:
        rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, rest[11:15])) / TICK


def engine_pids(engine: Engine) -> list[int]:
    """dockerd, containerd and the shims of this engine: all of them carry its folder."""
    mark, found = str(engine.folder).encode(), []
    for entry in Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
        except OSError:
            continue
        if mark in line and Path(os.fsdecode(line.split(b"\0")[0])).name.startswith(("dockerd", "containerd")):
            found.append(int(entry.name))
    return found


def measure(engine: Engine, length: float, watcher: int | None = None) -> Spent:
    before = {pid: cpu_of(pid) for pid in engine_pids(engine)}
    ours = cpu_of(watcher) if watcher else 0.0
    time.sleep(length)
    after = sum(cpu_of(pid) - before.get(pid, 0.0) for pid in engine_pids(engine))
    return Spent((cpu_of(watcher) - ours) if watcher else 0.0, after)


@contextmanager
def watchdog(engine: Engine, ports: dict[str, int], probe: Callable[[int], str]) -> Iterator[int]:
    """The daemon over all containers, at its usual tempo."""
    with tempfile.TemporaryDirectory(prefix="bwd-") as folder:
        rows = [
            f"  {name}: {{probe: {probe(port)}, runtime: {{docker: {{name: {name}, host: {engine.host}}}}}}}"
            for name, port in ports.items()
        ]
        file = Path(folder) / "watchdog.yaml"
        head = f"state: {{dir: state}}\ncontrol: {{socket: control.sock}}\ndefaults: {{interval: {INTERVAL}s}}\nservices:\n"
        file.write_text(head + "\n".join(rows) + "\n")
        with running([str(Path(sys.executable).parent / "watchdogctl"), "-c", str(file), "run"]) as pid:
            yield pid


@contextmanager
def running(words: list[str]) -> Iterator[int]:
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(SETTLES)
        if process.poll() is not None:
            raise SystemExit(f"{' '.join(words)}: ended with {process.returncode}")
        yield process.pid
    finally:
        process.terminate()
        process.wait(30)


def house(engine: Engine, folder: Path, count: int, *flags: str) -> dict[str, int]:
    """That many bots in containers; name to port."""
    ports = {f"bot-{number}": free_port() for number in range(count)}
    for name, port in ports.items():
        lodge(engine, folder, name, port=port, flags=tuple(flag.replace("PORT", str(port)) for flag in flags))
    return ports


def line(what: str, spent: Spent, idle: Spent, length: float) -> str:
    more = spent.watcher + max(0.0, spent.engine - idle.engine)
    return f"{what:<42}{spent.watcher:>10.2f}{spent.engine:>10.2f}{more:>10.2f}{100 * more / length:>9.2f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--length", type=float, default=60.0)
    asked = parser.parse_args()
    get = r"b'GET /health HTTP/1.0\r\n\r\n'"
    ask = f"import socket; s = socket.create_connection(('127.0.0.1', PORT)); s.send({get}); s.recv(99)"
    check = f'{sys.executable} -S -E -c "{ask}"'
    print(f"{asked.count} containers, {asked.length:.0f} s each, CPU seconds; more: than when nobody asks")
    print(f"{'':<42}{'watcher':>10}{'engine':>10}{'more':>10}{'of a core':>11}")
    with tempfile.TemporaryDirectory(prefix="bwd-") as folder, private_engine() as engine:
        ports = house(engine, Path(folder), asked.count)
        time.sleep(3 * SETTLES)
        idle = measure(engine, asked.length)
        print(f"{'nobody asks':<42}{0:>10.2f}{idle.engine:>10.2f}")
        for what, probe in (
            ("bot-watchdog, /health of each", lambda port: f'{{http: "http://127.0.0.1:{port}/health"}}'),
            ("bot-watchdog, probe docker: true", lambda _: "{docker: true}"),
        ):
            with watchdog(engine, ports, probe) as pid:
                print(line(what, measure(engine, asked.length, pid), idle, asked.length), flush=True)
        with running(["docker", "-H", engine.host, "stats"]) as pid:
            print(line("docker stats, a stream for each", measure(engine, asked.length, pid), idle, asked.length), flush=True)
        engine.clear()
        house(engine, Path(folder), asked.count, "--health-cmd", check, "--health-interval", f"{INTERVAL}s")
        time.sleep(SETTLES)
        spent = measure(engine, asked.length)
        print(line(f"HEALTHCHECK exec each {INTERVAL} s", spent, idle, asked.length), flush=True)


if __name__ == "__main__":
    main()
