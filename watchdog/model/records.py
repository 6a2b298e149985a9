"""The other rows of the store. Times are wall seconds since the epoch."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from watchdog.model.incident import Tier
from watchdog.model.service import State


@dataclass(frozen=True, slots=True)
class Segment:
    """An unbroken stretch of one state. until is None for the stretch that lasts."""

    service: str
    state: State
    since: float
    until: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Rollup:
    """Five minutes of checks of one service. at: start of the bucket. latency: seconds, sum and max over the answered."""

    service: str
    at: int
    checks: int
    bad: int
    latency_sum: float
    latency_max: float


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of an incident's timeline: everything that happens is a row (SPEC 7)."""

    incident: int
    service: str
    at: float
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Exit:
    """A process of the service ended. ours: stopped by us or by a person through us; it does not count for crash_loop."""

    service: str
    at: float
    code: int | None
    ours: bool
    instance: str = ""


@dataclass(frozen=True, slots=True)
class Hold:
    """A pause of actions that ends by itself. stop: the bot itself was stopped on purpose until then."""

    service: str
    since: float
    until: float
    by: str
    reason: str = ""
    stop: bool = False
    ended_at: float | None = None


class NoticeKind(StrEnum):
    """report: a message of its own about a period, muted, never edited; its `service` is the name of the report."""

    NEW = "new"
    EDIT = "edit"
    CLOSE = "close"
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Notice:
    """A message that was due. Written in the transaction that changes the incident, done only after delivery."""

    id: int
    incident: int | None
    service: str
    tier: Tier
    kind: NoticeKind
    at: float
    text: str
    delivered_at: float | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was seen before something was changed. kind: `evidence`, later `stacks`."""

    incident: int
    service: str
    run: int | None
    at: float
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Audit:
    """An acting verb over the socket, granted or refused."""

    at: float
    uid: int
    pid: int
    verb: str
    text: str
    granted: bool


@dataclass(frozen=True, slots=True)
class Memory:
    """What must survive the daemon about one service beside its incidents, runs, exits and holds. doc: JSON text."""

    service: str
    doc: str


@dataclass(frozen=True, slots=True)
class Meta:
    """One fact about the daemon itself: `boot_id`, `started_at`, `config`, ..."""

    key: str
    value: str
