"""The nouns of recovery: playbooks and runs, frozen (SPEC 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Effect(StrEnum):
    NONE = "none"
    RELOAD = "reload"
    RESTART = "restart"
    DESTRUCTIVE = "destructive"

    @property
    def rank(self) -> int:
        return ("none", "reload", "restart", "destructive").index(self.value)

    @property
    def charged(self) -> bool:
        """Counts against the service's budget."""
        return self.rank >= Effect.RESTART.rank


class StepOutcome(StrEnum):
    OK = "ok"
    FAILED = "failed"
    IMPOSSIBLE = "impossible"
    NEEDS_PERSON = "needs_person"
    SUPERSEDED = "superseded"
    SKIPPED = "skipped"


class RunOutcome(StrEnum):
    HEALED = "healed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    SUPERSEDED = "superseded"
    HELD = "held"
    NEEDS_PERSON = "needs_person"


class Mode(StrEnum):
    AUTO = "auto"
    APPROVE = "approve"
    OBSERVE = "observe"


@dataclass(frozen=True, slots=True)
class Condition:
    """A leaf of `when`: every field that is set must match. Regexes are text here, compiled by the matcher."""

    symptom: str | None = None
    reason: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class When:
    """`any` or `all` of conditions; a single condition is `all` of one."""

    conditions: tuple[Condition, ...]
    every: bool = True


@dataclass(frozen=True, slots=True)
class Selector:
    """Which services a playbook is for; empty: any. labels: `key: value` pairs, all must match."""

    names: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    runtime: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a playbook. timeout: seconds or None for the default of SPEC 6. only_if: (step id, `ok|failed|skipped`).

    idempotent: as its action declares; after a crash only such a step may be begun again.
    """

    id: str
    action: str
    params: Any
    effect: Effect
    timeout: float | None = None
    go_on: bool = False
    retry: int = 0
    only_if: tuple[str, str] | None = None
    idempotent: bool = False


@dataclass(frozen=True, slots=True)
class Verify:
    """The proof: `healthy` good answers in a row. Seconds; None: the default of the service or guards."""

    healthy: int = 2
    after: float | None = None
    every: float = 5.0
    within: float | None = None


@dataclass(frozen=True, slots=True)
class Playbook:
    """digest: hash of the file's bytes. source: the file's text, stored with a run so that the run keeps its steps.

    otherwise: `again`, `escalate` or the name of the next rung. limits in seconds; None: the default of guards.
    """

    name: str
    summary: str
    when: When
    steps: tuple[Step, ...]
    verify: Verify
    services: Selector = Selector()
    mode: Mode = Mode.AUTO
    routine: bool = True
    concurrent: int | None = None
    cooldown: float | None = None
    priority: int = 0
    otherwise: str = "again"
    tests: tuple[str, ...] = ()
    path: str = ""
    digest: str = ""
    source: str = ""

    @property
    def effect(self) -> Effect:
        """The highest effect of its steps."""
        return max((step.effect for step in self.steps), key=lambda e: e.rank, default=Effect.NONE)

    @property
    def gentle(self) -> bool:
        """A restart that never kills: an own budget, and never parks (SPEC 4, degraded)."""
        stops = [s for s in self.steps if s.action == "stop_process"]
        return bool(stops) and all(getattr(s.params, "kill", True) is False for s in stops)


@dataclass(frozen=True, slots=True)
class StepRecord:
    """A step of a run: intent before the act (`outcome` None), outcome after. before: instance seen before the act."""

    index: int
    id: str
    action: str
    effect: Effect
    intent_at: float
    before: str = ""
    ended_at: float | None = None
    outcome: StepOutcome | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a playbook. target: the instance decided on. proving_at: since when its proof runs.

    charged: counts against the budget. refunded: taken back, the old instance was seen alive and untouched.
    by: `watchdog`, or the person who asked. ended_at and outcome are None while it runs.
    """

    id: int
    service: str
    playbook: str
    incident: int | None
    started_at: float
    effect: Effect
    digest: str = ""
    source: str = ""
    target: str = ""
    by: str = "watchdog"
    charged: bool = True
    refunded: bool = False
    gentle: bool = False
    proving_at: float | None = None
    ended_at: float | None = None
    outcome: RunOutcome | None = None
    detail: str = ""
    steps: tuple[StepRecord, ...] = ()

    @property
    def open(self) -> bool:
        return self.ended_at is None

    @property
    def touched(self) -> bool:
        """A step with an effect has at least its intent on disk."""
        return any(s.effect is not Effect.NONE and s.outcome is not StepOutcome.SKIPPED for s in self.steps)
