"""`python -m bench.probe`: CPU per probe, hung targets and memory, side by side from one run, with the goals of SPEC 16."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
INTERVAL = 30.0
LIMIT = 2.0
PORTS = 8
MB = 1 << 20


def compile_c(name: str, folder: Path) -> Path:
    if shutil.which("cc") is None:
        sys.exit("a C compiler (cc) is needed: the C client is the measure of everything else")
    program = folder / name
    subprocess.run(["cc", "-O2", "-Wall", "-o", str(program), str(HERE / f"{name}.c")], check=True)
    return program


@contextmanager
def target(program: Path) -> Iterator[tuple[list[int], list[int]]]:
    """The fleet that is asked: the ports of the healthy and of the hung."""
    serving = subprocess.Popen([str(program), str(PORTS), str(PORTS)], stdout=subprocess.PIPE, text=True)
    try:
        assert serving.stdout is not None
        ports = [int(port) for port in serving.stdout.readline().split()]
        yield ports[:PORTS], ports[PORTS:]
    finally:
        serving.terminate()
        serving.wait()
        if serving.stdout is not None:
            serving.stdout.close()


def measure_c(program: Path, load: dict[str, Any]) -> dict[str, Any]:
    numbers = [load["interval"], load["length"], load["limit"], load["count"]]
    ports = [",".join(map(str, load["healthy"])), ",".join(map(str, load["hung"]))]
    done = subprocess.run(
        [str(program), *map(str, numbers), *ports, str(load["every"]), str(load["settles"])],
        capture_output=True,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def measure(client: str, load: dict[str, Any]) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.probe.one", client, json.dumps(load)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=HERE.parent.parent)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def row(client: str, got: dict[str, Any], per: float, c: float, stock: float) -> str:
    latency = f"{got['p50'] * 1000:6.1f} {got['p99'] * 1000:6.1f}" if "p99" in got else " " * 13
    stall = f"{got['stall'] * 1000:6.0f}" if "stall" in got else " " * 6
    wrong = str(got["wrong"]) if "wrong" in got else ""
    core = per * got["count"] / INTERVAL / 1e4
    ratios = f"{per / c:6.1f} {per / stock if stock else 0:7.2f}" if c else " " * 14
    return f"  {client:9} {got['asked']:6} {per:9.0f} {ratios} {core:7.1f} {latency} {stall} {wrong:>6} {got['rss'] / MB:7.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.probe", description=__doc__)
    parser.add_argument("--length", type=float, default=12.0, help="seconds per measurement")
    parser.add_argument("--clients", default="httpx,probing,watchdog", help="names in bench/probe/clients.py")
    parser.add_argument("--counts", default="1000,10000", help="numbers of targets")
    parser.add_argument("--every", default="0,5", help="every n-th target is hung; 0: none")
    given = parser.parse_args()
    clients, verdicts, quiet = given.clients.split(","), [], dict[int, float]()
    with tempfile.TemporaryDirectory() as folder, target(compile_c("target", Path(folder))) as (healthy, hung):
        c_client = compile_c("client", Path(folder))
        for count in map(int, given.counts.split(",")):
            for every in map(int, given.every.split(",")):
                load = {"count": count, "interval": INTERVAL, "length": given.length, "limit": LIMIT, "every": every}
                load |= {"healthy": healthy, "hung": hung, "settles": LIMIT}
                print(f"\n{count} targets, each asked once in {INTERVAL:.0f} s, {100 // every if every else 0} % of them hung")
                print("  client     asked  us/probe   x C x httpx  % core    p50    p99  stall  wrong  RSS MB")
                got = {"C": measure_c(c_client, load) | {"count": count}}
                for client in clients:
                    got[client] = measure(client, load) | {"count": count}
                per = {name: each["cpu"] / max(1, each["asked"]) * 1e6 for name, each in got.items()}
                for name, each in got.items():
                    print(row(name, each, per[name], per["C"], per.get("httpx", 0.0)), flush=True)
                ours = next((name for name in ("watchdog", "probing") if name in got), "")
                if ours:
                    verdicts += goals(ours, count, every, got[ours], per, quiet)
    print("\nGoals (SPEC 16)")
    for met, text in verdicts:
        print(f"  {'met   ' if met else 'MISSED'} {text}")


def goals(
    ours: str, count: int, every: int, got: dict[str, Any], per: dict[str, float], quiet: dict[int, float]
) -> list[tuple[bool, str]]:
    """What SPEC 16 asks of this measurement. quiet: p99 per count with none hung."""
    where = f"{ours}, {count} targets, {100 // every if every else 0} % hung"
    found = [(per[ours] <= 7 * per["C"], f"at most 7 x C: {per[ours] / per['C']:.1f} ({where})")]
    if "httpx" in per:
        found.append((per[ours] <= 0.35 * per["httpx"], f"at most 0.35 x httpx: {per[ours] / per['httpx']:.2f} ({where})"))
    if count == 10_000:
        core = per[ours] * count / INTERVAL / 1e4
        found.append((core < 15, f"under 15 % of one core: {core:.1f} % ({where})"))
        found.append((got["rss"] <= 120 * MB, f"at most 120 MB: {got['rss'] / MB:.0f} MB ({where})"))
    if not every:
        quiet[count] = got["p99"]
    else:
        found.append((got["wrong"] == 0, f"no false failure: {got['wrong']} ({where})"))
        found.append((got["stall"] < 0.05, f"loop stall under 50 ms: {got['stall'] * 1000:.0f} ms ({where})"))
        if count in quiet:
            ratio = got["p99"] / quiet[count]
            found.append((ratio <= 1.5, f"p99 of the healthy at most 1.5 x its value with none hung: {ratio:.2f} ({where})"))
    return found


if __name__ == "__main__":
    main()
