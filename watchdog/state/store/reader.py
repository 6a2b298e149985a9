"""Questions to the state file. Read-only: it works beside a running daemon and after its death."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from recovery.model import Run, StepRecord
from watchdog.model.decision import Decision, Ruling, Step, Verdict
from watchdog.model.incident import Incident
from watchdog.model.letter import Chat, Letter
from watchdog.model.records import Audit, Entry, Evidence, Exit, Hold, Memory, Notice, Rollup, Segment
from watchdog.model.service import State
from watchdog.state.store.connection import BUSY
from watchdog.state.store.shapes import (
    AUDIT,
    CHAT,
    ENTRY,
    EVIDENCE_ROW,
    EXIT,
    HOLD,
    INCIDENT,
    LETTER,
    MEMORY,
    NOTICE,
    RUN,
    STEP,
    Shape,
)
from watchdog.state.store.tables import SENTINEL

DAY, MONTH = 86_400.0, 30 * 86_400.0
_FOREVER = float("-inf")
_OPEN = "SELECT id FROM incidents WHERE stage <> 'closed'"
_TOLD_NOBODY = "SELECT id FROM notices WHERE delivered_at IS NULL"
_WAITING = "SELECT notice FROM outbox WHERE state = 'waiting'"
_RUN_COLUMNS = RUN.listed.replace('"source"', "coalesce(nullif(runs.source, ''), sources.text, '')").replace(
    '"digest"', "runs.digest"
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the store remembers at start (`decisions/ports.Loaded`). next_*: the first unused ids."""

    incidents: tuple[Incident, ...] = ()
    runs: tuple[Run, ...] = ()
    exits: tuple[Exit, ...] = ()
    holds: tuple[Hold, ...] = ()
    memories: tuple[Memory, ...] = ()
    notices: tuple[Notice, ...] = ()
    letters: tuple[Letter, ...] = ()
    chats: tuple[Chat, ...] = ()
    meta: dict[str, str] = field(default_factory=dict)
    next_incident: int = 1
    next_run: int = 1
    next_notice: int = 1


class Reader:
    """Answers in the frozen records of the model, each query on its own. Raises sqlite3.Error when the file cannot be read.

    Times are wall seconds; `since` of None means everything. shared: the connection belongs to a store and is not closed here.
    most: rows that one query gives back, the first ones; None for all.
    """

    def __init__(self, conn: sqlite3.Connection, *, shared: bool = False, most: int | None = None) -> None:
        self._conn = conn
        self._shared = shared
        self._most = most

    @classmethod
    def open(cls, path: Path, *, most: int | None = None) -> Reader:
        """Of the file at `path`; of an unchanging copy too, where no lock can be taken (a read-only file system)."""
        where = path.absolute().as_uri()
        try:
            return cls._try(f"{where}?mode=ro", most)
        except sqlite3.OperationalError:
            if path.with_name(path.name + "-wal").exists():
                raise  # what is in the log would be silently missing
            return cls._try(f"{where}?mode=ro&immutable=1", most)

    @classmethod
    def _try(cls, uri: str, most: int | None) -> Reader:
        conn = sqlite3.connect(uri, uri=True, timeout=BUSY, isolation_level=None, check_same_thread=False)
        try:
            conn.execute("SELECT 1 FROM meta LIMIT 1").fetchall()
        except BaseException:
            conn.close()
            raise
        return cls(conn, most=most)

    def close(self) -> None:
        if not self._shared:
            self._conn.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def load(self, now: float) -> Snapshot:
        """What the daemon needs at start: all that is open, of the rest the last 24 hours before `now`.

        Of incidents and of runs that healed 30 days: how often before, and what helped then.
        """
        day, month = now - DAY, now - MONTH
        waiting = f" OR id IN ({_WAITING})" if self._has_outbox() else ""
        return Snapshot(
            incidents=self._incidents("stage <> 'closed' OR closed_at > ?", month),
            runs=self._runs("ended_at IS NULL OR started_at > ? OR (outcome = 'healed' AND started_at > ?)", day, month),
            exits=self.exits(since=day),
            holds=self.holds(),
            memories=self.services(),
            notices=self._all(NOTICE, f"delivered_at IS NULL OR at > ?{waiting} ORDER BY id", day),
            letters=self._letters(
                f"state = 'waiting' OR done_at > ? OR incident IN ({_OPEN}) OR notice IN ({_TOLD_NOBODY})", day
            ),
            chats=self.chats(),
            meta=dict(self._rows('SELECT "key", value FROM meta WHERE "key" <> ?', SENTINEL[0])),
            next_incident=self._next("incidents"),
            next_run=self._next("runs"),
            next_notice=self._next("notices"),
        )

    def incidents(self, since: float | None = None, limit: int = 1000, service: str | None = None) -> tuple[Incident, ...]:
        """Newest first: all that were open at `since` or later."""
        where = "(closed_at IS NULL OR closed_at >= ?) AND (? IS NULL OR service = ?) ORDER BY opened_at DESC, id DESC LIMIT ?"
        return self._all(INCIDENT, where, _from(since), service, service, limit)

    def incident(self, number: int) -> Incident | None:
        return next(iter(self._all(INCIDENT, "id = ?", number)), None)

    def members(self, incident: int) -> tuple[Incident, ...]:
        """The incidents folded into this one, oldest first."""
        return self._incidents("parent = ?", incident)

    def timeline(self, incident: int) -> tuple[Entry, ...]:
        return self._all(ENTRY, "incident = ? ORDER BY at, id", incident)

    def runs(self, incident: int | None = None, service: str | None = None, since: float | None = None) -> tuple[Run, ...]:
        """Oldest first, with their steps."""
        where = "(?1 IS NULL OR incident = ?1) AND (?2 IS NULL OR service = ?2) AND started_at >= ?3"
        return self._runs(where, incident, service, _from(since))

    def decisions(self, service: str, limit: int = 50) -> tuple[Decision, ...]:
        """The last ones, newest first."""
        query = """SELECT at, service, incident, trail, last_at, times FROM decisions
            WHERE service = ? ORDER BY at DESC, id DESC LIMIT ?"""
        return tuple(_decision(row) for row in self._rows(query, service, limit))

    def segments(self, service: str | None = None, since: float | None = None) -> tuple[Segment, ...]:
        """Of one service or all, by service and time: those that had not ended at `since`."""
        query = """SELECT name, state, since, until, reason FROM segments JOIN services ON services.id = service_id
            WHERE (?1 IS NULL OR name = ?1) AND (until IS NULL OR until >= ?2) ORDER BY name, since"""
        rows = self._rows(query, service, _from(since))
        return tuple(Segment(name, State(state), begun, until, reason) for name, state, begun, until, reason in rows)

    def rollups(self, service: str | None = None, since: float | None = None) -> tuple[Rollup, ...]:
        """Of one service or all, by service and time: buckets that begin at `since` or later."""
        query = """SELECT name, at, checks, bad, latency_sum_us / 1e6, latency_max_us / 1e6 FROM rollups
            JOIN services ON services.id = service_id WHERE (?1 IS NULL OR name = ?1) AND at >= ?2 ORDER BY name, at"""
        return tuple(Rollup(*row) for row in self._rows(query, service, _from(since)))

    def notices(self, incident: int | None = None, since: float | None = None) -> tuple[Notice, ...]:
        return self._all(NOTICE, "(?1 IS NULL OR incident = ?1) AND at >= ?2 ORDER BY id", incident, _from(since))

    def letters(self, since: float | None = None) -> tuple[Letter, ...]:
        """What waits, and what was done with or given up since then; by notice and address."""
        return self._letters("state = 'waiting' OR done_at >= ?", _from(since))

    def chats(self) -> tuple[Chat, ...]:
        """What was learnt of addresses."""
        return self._all(CHAT, "1 ORDER BY address") if self._has_outbox() else ()

    def evidence(self, incident: int) -> tuple[Evidence, ...]:
        return self._all(EVIDENCE_ROW, "incident = ? ORDER BY id", incident)

    def exits(self, service: str | None = None, since: float | None = None) -> tuple[Exit, ...]:
        return self._all(EXIT, "(?1 IS NULL OR service = ?1) AND at > ?2 ORDER BY at", service, _from(since))

    def holds(self, *, ended: bool = False) -> tuple[Hold, ...]:
        """Those that nobody ended (their `until` may have passed); with `ended` all of them."""
        return self._all(HOLD, "ended_at IS NULL OR ? ORDER BY since", ended)

    def audit(self, since: float | None = None) -> tuple[Audit, ...]:
        return self._all(AUDIT, "at >= ? ORDER BY id", _from(since))

    def services(self) -> tuple[Memory, ...]:
        """What was remembered of each service, by name."""
        return self._all(MEMORY, "doc <> '' ORDER BY name")

    def _letters(self, where: str, *values: Any) -> tuple[Letter, ...]:
        return self._all(LETTER, f"{where} ORDER BY notice, address", *values) if self._has_outbox() else ()

    def _has_outbox(self) -> bool:
        """A file of schema 1 that nobody could migrate, for example on a read-only file system, has none."""
        return bool(list(self._rows("SELECT 1 FROM sqlite_master WHERE name = 'outbox'")))

    def _next(self, table: str) -> int:
        return int(self._conn.execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}").fetchone()[0])  # noqa: S608  (our names)

    def _incidents(self, where: str, *values: Any) -> tuple[Incident, ...]:
        return self._all(INCIDENT, f"{where} ORDER BY opened_at, id", *values)

    def _runs(self, where: str, *values: Any) -> tuple[Run, ...]:
        join = "FROM runs LEFT JOIN sources ON sources.digest = runs.digest"
        rows = self._rows(f"SELECT {_RUN_COLUMNS} {join} WHERE {where} ORDER BY started_at, id", *values)
        return tuple(Run(**RUN.fields(row), steps=self._steps(row[0])) for row in rows)

    def _steps(self, run: int) -> tuple[StepRecord, ...]:
        return self._all(STEP, "run = ? ORDER BY idx", run)

    def _all(self, shape: Shape, where: str, *values: Any) -> tuple[Any, ...]:
        rows = self._rows(f"SELECT {shape.listed} FROM {shape.table} WHERE {where}", *values)  # noqa: S608  (our names)
        return tuple(shape.record(**shape.fields(row)) for row in rows)

    def _rows(self, query: str, *values: Any) -> Iterable[tuple[Any, ...]]:
        cursor = self._conn.execute(query, values)
        return cursor.fetchall() if self._most is None else cursor.fetchmany(self._most)


def _from(since: float | None) -> float:
    return _FOREVER if since is None else since


def _decision(row: tuple[Any, ...]) -> Decision:
    at, service, incident, trail, last_at, times = row
    return Decision(at, service, incident, tuple(_ruling(one) for one in json.loads(trail)), last_at, times)


def _ruling(said: dict[str, Any]) -> Ruling:
    rest = {key: value for key, value in said.items() if key not in ("step", "verdict")}
    return Ruling(Step(said["step"]), Verdict(said["verdict"]), **rest)
