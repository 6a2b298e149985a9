"""Records to rows: what one `put` means in SQL. Runs inside a transaction that `writer` opens and closes."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from recovery.model import Run
from watchdog.model.decision import Decision, Ruling
from watchdog.model.incident import Incident
from watchdog.model.letter import Chat, Letter
from watchdog.model.records import Audit, Entry, Evidence, Exit, Hold, Memory, Meta, Notice, Rollup, Segment
from watchdog.state.store.shapes import RUN, SIMPLE, STEP
from watchdog.state.store.text import Redact, free, word

Record = (
    Segment | Rollup | Incident | Entry | Run | Decision | Exit | Hold | Notice | Letter | Chat | Evidence | Audit | Memory | Meta
)

UNSAVABLE = (
    sqlite3.IntegrityError,
    sqlite3.DataError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
    AttributeError,
    OverflowError,
    TypeError,
    ValueError,
)
"""What a record raises that no later try could save: a number beyond 64 bits, NaN, a missing value."""

_SIMPLE = {record: shape.upsert for record, shape in SIMPLE.items()}
_RUN = RUN.upsert
_STEP_COLUMNS = f"run, {STEP.listed}"
_STEP = (
    f"INSERT INTO steps({_STEP_COLUMNS}) VALUES ({', '.join('?' * (len(STEP.columns) + 1))}) ON CONFLICT(run, idx) DO UPDATE SET "  # noqa: S608  (names of shapes only)
    + ", ".join(f"{column.name} = excluded.{column.name}" for column in STEP.columns)
)
_SOURCE = "INSERT INTO sources(digest, text) VALUES (?, ?) ON CONFLICT(digest) DO NOTHING"
_SERVICE = "INSERT INTO services(name) VALUES (?) ON CONFLICT(name) DO NOTHING"
_SEGMENT = """INSERT INTO segments(service_id, since, until, state, reason) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT(service_id, since) DO UPDATE SET until = excluded.until, state = excluded.state, reason = excluded.reason"""
_ROLLUP = """INSERT INTO rollups(at, service_id, checks, bad, latency_sum_us, latency_max_us) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT(at, service_id) DO UPDATE SET checks = checks + excluded.checks, bad = bad + excluded.bad,
    latency_sum_us = latency_sum_us + excluded.latency_sum_us, latency_max_us = max(latency_max_us, excluded.latency_max_us)"""
_DECISION = """INSERT INTO decisions(service, at, incident, step, verdict, reason, playbook, last_at, times, trail)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(service, at, step, verdict, reason) DO UPDATE SET
    incident = excluded.incident, playbook = excluded.playbook, last_at = excluded.last_at, times = excluded.times,
    trail = excluded.trail"""


class Rows:
    """Writes records through one connection. Rollups add up (each carries what is new); all else is replaced by its key."""

    def __init__(self, conn: sqlite3.Connection, redact: Redact) -> None:
        self._conn = conn
        self._redact = redact
        self._ids: dict[str, int] = {}

    def save(self, record: Record) -> None:
        """One record. Raises sqlite3.Error, or one of UNSAVABLE when no later try could save it."""
        kind = type(record)
        if isinstance(record, Rollup):
            self._conn.execute(_ROLLUP, self._rollup(record))
        elif isinstance(record, Segment):
            reason = free(record.reason, self._redact)
            row = (self._id(record.service), record.since, record.until, record.state.value, reason)
            self._conn.execute(_SEGMENT, row)
        elif isinstance(record, Decision):
            self._conn.execute(_DECISION, self._decision(record))
        elif isinstance(record, Run):
            self._run(record)
        else:
            self._conn.execute(_SIMPLE[kind], SIMPLE[kind].row(record, self._redact))

    def forget(self) -> None:
        """After a rollback: the ids of services may not be on disk."""
        self._ids.clear()

    def _id(self, service: str) -> int:
        known = self._ids.get(service)
        if known is not None:
            return known
        name = word(service)
        self._conn.execute(_SERVICE, (name,))
        found = int(self._conn.execute("SELECT id FROM services WHERE name = ?", (name,)).fetchone()[0])
        self._ids[service] = found
        return found

    def _rollup(self, record: Rollup) -> tuple[int, ...]:
        total, peak = round(record.latency_sum * 1e6), round(record.latency_max * 1e6)
        return record.at, self._id(record.service), record.checks, record.bad, total, peak

    def _run(self, run: Run) -> None:
        row = RUN.row(run, self._redact)
        steps = [(run.id, *STEP.row(step, self._redact)) for step in run.steps]
        if run.digest:
            self._conn.execute(_SOURCE, (word(run.digest), word(run.source)))
            row[[column.field for column in RUN.columns].index("source")] = ""
        self._conn.execute(_RUN, row)
        self._conn.executemany(_STEP, steps)

    def _decision(self, decision: Decision) -> tuple[Any, ...]:
        trail = [self._ruling(ruling) for ruling in decision.trail]
        last = trail[-1]
        return (
            word(decision.service),
            decision.at,
            decision.incident,
            last["step"],
            last["verdict"],
            last["reason"],
            last.get("playbook"),
            decision.last_at,
            decision.times,
            json.dumps(trail, ensure_ascii=False, separators=(",", ":")),
        )

    def _ruling(self, ruling: Ruling) -> dict[str, Any]:
        """Only what is set, so that `decisions.trail` stays short and legible."""
        rest = {"playbook": ruling.playbook, "by": ruling.by, "until": ruling.until, "park": ruling.park or None}
        said = {"step": ruling.step.value, "verdict": ruling.verdict.value, "reason": free(ruling.reason, self._redact)}
        cleaned = {key: word(value) if isinstance(value, str) else value for key, value in rest.items()}
        return said | {key: value for key, value in cleaned.items() if value is not None}
