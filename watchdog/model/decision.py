"""An answer of `decide`, kept with its reason (SPEC 5)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Step(StrEnum):
    """The steps of SPEC 5 in their order, in the words of `why`."""

    HOST = "host"
    OPERATOR = "operator"
    ROOT = "root"
    GRACE = "grace"
    TERMINAL = "terminal"
    BUDGET = "budget"
    PLAYBOOK = "playbook"


class Verdict(StrEnum):
    HEAL = "heal"
    WAIT = "wait"
    ESCALATE = "escalate"
    PASS = "pass"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What one step said. until: wall seconds when it is worth asking again. by: the service that blocks.

    park: an escalation that parks the service (budget spent, crash loop).
    """

    step: Step
    verdict: Verdict
    reason: str
    playbook: str | None = None
    by: str | None = None
    until: float | None = None
    park: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """The whole answer: the trail of rulings, of which the last decided.

    at: wall seconds first given; last_at and times: how long the same answer was repeated.
    """

    at: float
    service: str
    incident: int | None
    trail: tuple[Ruling, ...]
    last_at: float = 0.0
    times: int = 1

    @property
    def last(self) -> Ruling:
        return self.trail[-1]

    @property
    def verdict(self) -> Verdict:
        return self.last.verdict

    @property
    def reason(self) -> str:
        return self.last.reason
