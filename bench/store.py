"""The store beside its goals (SPEC 16): microseconds per check, and megabytes for 500 services and 30 days.

    python -m bench.store [--services 500] [--hours 24]

Checks every 30 s, a roll-up flushed and committed each minute with durable commits, and some ill services: a measured day,
extrapolated in a straight line to 30 days. The history of the checks is not part of it, only what reaches the disk.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

from recovery.model import Effect, Run, RunOutcome, StepOutcome, StepRecord
from watchdog.model.decision import Decision, Ruling, Step, Verdict
from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.records import Entry, Evidence, Notice, NoticeKind, Segment
from watchdog.model.service import State
from watchdog.state.rollup import Rollups
from watchdog.state.store.open import NAME, open_store
from watchdog.state.store.writer import SqliteStore

INTERVAL = 30
GOAL_US, GOAL_MB = 10.0, 150.0
ILL = 0.2
"""Share of the services that have one incident a day: far more than a fleet worth keeping."""


def incident(store: SqliteStore, number: int, service: str, at: float) -> None:
    """All rows of one healed incident."""
    store.put(Segment(service, State.OK, at - 80_000, at, "healthy"))
    store.put(Segment(service, State.FAILING, at, at + 140, "4 timeouts on /health"))
    opened = Incident(number, service, Stage.OPEN, at, "timeout")
    store.put(opened)
    for offset in range(0, 140, 20):
        store.put(Entry(number, service, at + offset, "check", "no answer within 30 s (timeout)"))
    trail = tuple(Ruling(step, Verdict.PASS, "nothing against it") for step in list(Step)[:-1])
    heal = Ruling(Step.PLAYBOOK, Verdict.HEAL, "the only match", "restart-unresponsive")
    store.put(Decision(at + 90, service, number, (*trail, heal)))
    steps = tuple(
        StepRecord(index, f"step{index}", "stop_process", Effect.RESTART, at + 91, "812:99:b0", at + 95, StepOutcome.OK, "ended")
        for index in range(4)
    )
    store.put(Evidence(number, service, number, at + 91, "evidence", "cpu 3 %, memory 80 MB, 14 files, log: waiting\n" * 80))
    for ended, outcome in ((None, None), (at + 140, RunOutcome.HEALED)):
        store.put(
            Run(number, service, "restart-unresponsive", number, at + 91, Effect.RESTART, "d" * 64, "x" * 900)
            if ended is None
            else Run(
                number,
                service,
                "restart-unresponsive",
                number,
                at + 91,
                Effect.RESTART,
                "d" * 64,
                ended_at=ended,
                outcome=outcome,
                steps=steps,
            )
        )
    store.put(Notice(number, number, service, Tier.SILENT, NoticeKind.CLOSE, at + 140, f"{service}: auto-recovered"))
    store.put(Incident(number, service, Stage.CLOSED, at, "proof", "unresponsive", closed_at=at + 140, outcome=Outcome.HEALED))


async def day(store: SqliteStore, services: list[str], start: float, hours: int) -> int:
    """`hours` of checks and incidents; the number of checks."""
    rollups, checks, number = Rollups(), 0, 0
    ill = max(1, round(86_400 / (len(services) * ILL)))
    for second in range(0, hours * 3600, INTERVAL):
        at = start + second
        for index, service in enumerate(services):
            rollups.add(service, at, False, 0.004 + index % 50 / 1000)
        checks += len(services)
        if second // ill != (second - INTERVAL) // ill:
            number += 1
            incident(store, number, services[number % len(services)], at)
        for record in rollups.flush(at):
            store.put(record)
        await store.commit()
    return checks


async def measure(count: int, hours: int) -> None:
    services = [f"service-{number:03}" for number in range(count)]
    start = time.time() // 300 * 300
    with tempfile.TemporaryDirectory() as folder:
        opened = open_store(Path(folder), now=lambda: start)
        began, cpu = time.perf_counter(), time.process_time()
        try:
            checks = await day(opened.store, services, start, hours)
        finally:
            wall, used = time.perf_counter() - began, time.process_time() - cpu
            await opened.store.close()
        size = (Path(folder) / NAME).stat().st_size
    month = size * 720 / hours / 1e6 * 500 / count
    print(f"{checks} checks of {count} services, {hours} h\n")
    print(f"{'':32}{'measured':>10}{'goal':>10}")
    print(f"{'CPU per check, us':32}{used / checks * 1e6:10.2f}{GOAL_US:10.1f}  {verdict(used / checks * 1e6, GOAL_US)}")
    print(f"{'wall per check, us (fsync)':32}{wall / checks * 1e6:10.2f}{GOAL_US:10.1f}  {verdict(wall / checks * 1e6, GOAL_US)}")
    print(f"{'500 services, 30 days, MB':32}{month:10.1f}{GOAL_MB:10.1f}  {verdict(month, GOAL_MB)}")


def verdict(value: float, goal: float) -> str:
    return "met" if value <= goal else "MISSED"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--services", type=int, default=500)
    parser.add_argument("--hours", type=int, default=24)
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.services, arguments.hours))


if __name__ == "__main__":
    main()
