"""The outside checker: reads what a daemon left behind and says which invariant was broken. It imports nothing of the product.

    python tests/invariants/checker.py STATE_DB [--starts DIR] [--log FILE]... [--secret TEXT]... [--file FILE]...

What it reads:

- the SQLite file, read-only;
- `DIR/NAME.starts`, written by the bot NAME itself at each of its starts: one line `pid wall_time`;
- logs of fake bots and fake servers, JSON lines, each with `kind`, `service` and `at` (wall seconds):
  `{"kind": "signal", "service", "at", "pid", "signal", "root"}`: a signal that a bot got; `root` is the pid of the main process
  of its tree, left out when that is the receiver itself; a bot in a container cannot tell its pid and leaves out both;
  `{"kind": "call", "service", "at", "url"}`: a request that acts (a reload, an `http_call`), as the server saw it.

The invariants, as far as these files show them:

- I1 a detected failure is on disk before any action: a run of ours has an incident whose row was opened before its first intent;
- I2 intent, act, outcome: a step's intent is not after its outcome, an ended run has no open step, two runs of a service never
  overlap, and a bot saw no start, signal or call that no row explains;
- I3 an incident that is critical has a critical notice;
- I5 at most three charged runs of a service in any sliding hour (a person's `recover` begins a new count);
- I6 a signal went only to a process that a step had looked at before;
- I8 a planted secret is in no byte of any file.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STARTING = ("start", "restart", "ensure_running")
"""Actions that may bring a process up."""
ACTING = ("restart", "destructive")
"""Effects that are charged."""
SLACK = 0.5
"""Seconds by which the clocks of a bot and of the journal may differ: they are read at different moments."""
Row = sqlite3.Row


@dataclass(frozen=True, slots=True)
class Terms:
    """budget: charged runs per `window` seconds. crashes: starts that a killed daemon may have made unseen, per service.

    own_starts: starts by the test itself, by service.
    """

    budget: int = 3
    window: float = 3600.0
    crashes: int = 0
    own_starts: Mapping[str, int] | None = None
    slack: float = SLACK


def check(
    db: Path,
    *,
    starts: Path | None = None,
    logs: Iterable[Path] = (),
    secrets: Iterable[str] = (),
    files: Iterable[Path] = (),
    terms: Terms | None = None,
) -> list[str]:
    """One line for each breach, each beginning with its invariant; an empty list when all hold."""
    terms = terms or Terms()
    with closing(sqlite3.connect(f"{db.absolute().as_uri()}?mode=ro", uri=True)) as conn:
        conn.row_factory = sqlite3.Row
        world = World(conn)
        events = list(_events(logs))
        found = [
            *detected_first(world),
            *journalled(world),
            *apart(world),
            *told(world),
            *within_budget(world, terms),
            *explained(world, events, terms),
            *(started(world, starts, terms) if starts else ()),
        ]
    return found + list(unspilled(secrets, [*_with_log(db), *logs, *files]))


class World:
    """The rows, read once."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        self.incidents: dict[int, Row] = {row["id"]: row for row in conn.execute("SELECT * FROM incidents")}
        self.runs: list[Row] = conn.execute("SELECT * FROM runs ORDER BY started_at, id").fetchall()
        self.notices: list[Row] = conn.execute("SELECT * FROM notices").fetchall()
        self.steps: dict[int, list[Row]] = {run["id"]: [] for run in self.runs}
        self.orphans: list[Row] = []
        for step in conn.execute("SELECT * FROM steps ORDER BY run, idx"):
            self.steps.get(step["run"], self.orphans).append(step)

    def of(self, service: str) -> Iterator[tuple[Row, Row]]:
        """The steps of a service with their runs."""
        for run in self.runs:
            if run["service"] == service:
                for step in self.steps[run["id"]]:
                    yield run, step


def detected_first(world: World) -> Iterator[str]:
    for run in world.runs:
        steps = [step for step in world.steps[run["id"]] if step["effect"] != "none"]
        if run["incident"] is None:
            if run["by"] == "watchdog" and any(step["action"] not in STARTING for step in steps):
                yield f"I1 {_name(run)} did more than a bring-up without an incident"
            continue
        incident = world.incidents.get(run["incident"])
        if incident is None:
            yield f"I1 {_name(run)} has no incident {run['incident']} on disk"
        elif incident["opened_at"] > min((step["intent_at"] for step in steps), default=run["started_at"]):
            yield f"I1 {_name(run)} acted before incident {incident['id']} was opened"


def journalled(world: World) -> Iterator[str]:
    for step in world.orphans:
        yield f"I2 step {step['idx']} of run {step['run']} belongs to no run"
    for run in world.runs:
        last = run["started_at"]
        for step in world.steps[run["id"]]:
            label = f"I2 step {step['idx']} ({step['action']}) of {_name(run)}"
            if step["intent_at"] < last:
                yield f"{label} was meant before what precedes it"
            if (step["outcome"] is None) != (step["ended_at"] is None):
                yield f"{label} has an end without an outcome, or an outcome without an end"
            if step["ended_at"] is not None and step["ended_at"] < step["intent_at"]:
                yield f"{label} ended before its intent"
            if step["outcome"] is None and run["ended_at"] is not None and run["outcome"] not in ("interrupted", "superseded"):
                yield f"{label} is open in a run that ended as {run['outcome']}"
            last = max(last, step["intent_at"])


def apart(world: World) -> Iterator[str]:
    latest: dict[str, Row] = {}
    for run in world.runs:
        before = latest.get(run["service"])
        if before is not None and (before["ended_at"] is None or before["ended_at"] > run["started_at"]):
            yield f"I2 {_name(run)} began while {_name(before)} was running"
        latest[run["service"]] = run


def told(world: World) -> Iterator[str]:
    paged = {notice["incident"] for notice in world.notices if notice["tier"] == "critical"}
    for incident in world.incidents.values():
        if incident["tier"] == "critical" and incident["id"] not in paged:
            yield f"I3 incident {incident['id']} of {incident['service']} is critical and no critical notice was written"


def within_budget(world: World, terms: Terms) -> Iterator[str]:
    spent: dict[str, list[float]] = {}
    for run in world.runs:
        if run["by"] != "watchdog":
            spent[run["service"]] = []
        elif run["charged"] and not run["refunded"] and not run["gentle"] and run["effect"] in ACTING:
            at = run["started_at"]
            recent = [one for one in spent.get(run["service"], []) if one > at - terms.window]
            spent[run["service"]] = [*recent, at]
            if len(recent) >= terms.budget:
                yield f"I5 {_name(run)} is the {len(recent) + 1}th charged run within {terms.window:.0f} s"


def explained(world: World, events: Iterable[Mapping[str, Any]], terms: Terms) -> Iterator[str]:
    for event in events:
        if event["kind"] not in ("signal", "call"):
            continue
        at, service = float(event["at"]), str(event["service"])
        open_then = [
            (run, step)
            for run, step in world.of(service)
            if step["intent_at"] <= at + terms.slack and (step["ended_at"] is None or step["ended_at"] >= at - terms.slack)
        ]
        if not open_then:
            yield f"I2 {service} got a {event['kind']} at {at:.3f} that no intent explains"
        elif event["kind"] == "signal" and "pid" in event:
            pid = int(event.get("root", event["pid"]))
            if all(pid not in (_pid(step["before"]), _pid(run["target"])) for run, step in open_then):
                yield f"I6 process {pid} of {service} got a signal at {at:.3f}, but no step had looked at it"


def started(world: World, folder: Path, terms: Terms) -> Iterator[str]:
    for file in sorted(folder.glob("*.starts")):
        service = file.name.removesuffix(".starts")
        seen = [line.split() for line in file.read_text().splitlines() if line.strip()]
        ours = sum(step["action"] in STARTING and step["outcome"] != "skipped" for _, step in world.of(service))
        allowed = ours + terms.crashes + dict(terms.own_starts or {}).get(service, 0)
        if len(seen) > allowed:
            yield f"I2 {service} was started {len(seen)} times, rows explain {allowed}"


def unspilled(secrets: Iterable[str], files: Iterable[Path]) -> Iterator[str]:
    planted = [secret.encode() for secret in secrets]
    for file in files:
        found = file.read_bytes()
        if any(secret in found for secret in planted):
            yield f"I8 a planted secret is in {file}"


def _events(logs: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for file in logs:
        for line in file.read_text().splitlines():
            if line.strip():
                yield json.loads(line)


def _with_log(db: Path) -> list[Path]:
    """The file, its write-ahead log and index, and copies that were put aside."""
    return sorted(file for file in db.parent.glob(f"{db.stem}*") if file.is_file())


def _pid(instance: str) -> int | None:
    """An instance of a process is `pid:start ticks:boot id`."""
    head = instance.split(":", 1)[0]
    return int(head) if head.isdigit() else None


def _name(run: Row) -> str:
    return f"run {run['id']} ({run['playbook']} on {run['service']})"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("db", type=Path)
    parser.add_argument("--starts", type=Path)
    parser.add_argument("--log", type=Path, action="append", default=[])
    parser.add_argument("--secret", action="append", default=[])
    parser.add_argument("--file", type=Path, action="append", default=[])
    parser.add_argument("--crashes", type=int, default=0)
    given = parser.parse_args(argv)
    terms = Terms(crashes=given.crashes)
    found = check(given.db, starts=given.starts, logs=given.log, secrets=given.secret, files=given.file, terms=terms)
    print("\n".join(found) if found else "all invariants hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
