"""What one check found: the answer of a service to one question (SPEC 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    """The verdict on one answer. `NO_ANSWER` and `BAD_ANSWER` are failing checks."""

    OK = "ok"
    DEGRADED = "degraded"
    CRITICAL = "critical"
    STARTING = "starting"
    NO_ANSWER = "no_answer"
    BAD_ANSWER = "bad_answer"
    MISCONFIGURED = "misconfigured"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Part:
    """One named component inside an answer. `declared` is the dependency or API of the service that it names."""

    name: str
    status: Kind
    message: str = ""
    declared: str | None = None


@dataclass(frozen=True, slots=True)
class ErrorCount:
    """An entry of `errors` in our own form."""

    type: str
    api: str | None = None
    count_1h: float | None = None
    code: str | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What the document told beside its status. Ages and uptimes in seconds."""

    reason: str | None = None
    message: str = ""
    uptime_s: float | None = None
    instance: str | None = None
    version: str | None = None
    progress: float | None = None
    progress_age_s: float | None = None
    queue: float | None = None
    errors: tuple[ErrorCount, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Observation:
    """One counted outcome.

    at: wall clock, seconds since the epoch, when the outcome was known. latency: seconds, None when there was no answer.
    detail: one line for people: `timeout`, `refused`, `reset`, `HTTP 500`, `redirect to /login`, ...
    excused: ill parts or reason name declared dependencies or APIs only; this answer alone never restarts the bot.
    """

    at: float
    kind: Kind
    detail: str = ""
    latency: float | None = None
    code: int | None = None
    parts: tuple[Part, ...] = ()
    report: Report | None = None
    remark: str = ""
    excused: bool = False

    @property
    def failing(self) -> bool:
        """No usable answer: what the counts of `unresponsive` and `flapping` count."""
        return self.kind in FAILING

    @property
    def counts(self) -> bool:
        """False for the kinds that count neither way."""
        return self.kind not in NEITHER

    @property
    def reason(self) -> str | None:
        """The machine word the bot gave for its state, if any."""
        return self.report.reason if self.report else None

    @property
    def ill(self) -> tuple[Part, ...]:
        """The parts that are not ok."""
        return tuple(part for part in self.parts if part.status is not Kind.OK)


FAILING = frozenset({Kind.NO_ANSWER, Kind.BAD_ANSWER})
NEITHER = frozenset({Kind.STARTING, Kind.MISCONFIGURED, Kind.UNKNOWN})
