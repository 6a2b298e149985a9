"""Records with defaults, one of each kind, for tests of the store and of what reads it."""

from __future__ import annotations

from dataclasses import replace

from recovery.model import Effect, Run, RunOutcome, StepOutcome, StepRecord
from watchdog.model.decision import Decision, Ruling, Step, Verdict
from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.letter import Chat, Letter
from watchdog.model.records import (
    Audit,
    Entry,
    Evidence,
    Exit,
    Hold,
    Memory,
    Meta,
    Notice,
    NoticeKind,
    Rollup,
    Segment,
)
from watchdog.model.service import State
from watchdog.state.store.rows import Record

T = 1_790_000_000.0


def incident(number: int = 1, service: str = "scraper", at: float = T) -> Incident:
    return Incident(number, service, Stage.OPEN, at, reason="no answer within 30 s")


def closed(number: int = 1, service: str = "scraper", at: float = T, ended: float = T + 140) -> Incident:
    return replace(incident(number, service, at), stage=Stage.CLOSED, closed_at=ended, outcome=Outcome.HEALED)


def run(number: int = 1, service: str = "scraper", at: float = T + 90, of: int | None = 1) -> Run:
    """A run with the intent of its first step on its way to the disk."""
    step = StepRecord(0, "stop", "stop_process", Effect.RESTART, at + 1, before="812:4711:b00t")
    return Run(
        number, service, "restart-unresponsive", of, at, Effect.RESTART, "d1", "name: restart\n", "812:4711:b00t", steps=(step,)
    )


def ended(number: int = 1, service: str = "scraper", at: float = T + 90, of: int | None = 1) -> Run:
    begun = run(number, service, at, of)
    stop = replace(begun.steps[0], ended_at=at + 5, outcome=StepOutcome.OK, detail="ended by SIGTERM after 4 s")
    up = StepRecord(1, "up", "ensure_running", Effect.RESTART, at + 5, "", at + 6, StepOutcome.OK, "started")
    return replace(begun, steps=(stop, up), ended_at=at + 20, outcome=RunOutcome.HEALED, detail="2 good answers")


def decision(service: str = "scraper", at: float = T + 90) -> Decision:
    host = Ruling(Step.HOST, Verdict.PASS, "network fine")
    heal = Ruling(
        Step.PLAYBOOK, Verdict.HEAL, "the only match", playbook="restart-unresponsive", by="db", until=at + 9, park=True
    )
    return Decision(at, service, 1, (host, heal), last_at=at + 5, times=3)


def notice(number: int = 1, of: int | None = 1, tier: Tier = Tier.CRITICAL, at: float = T + 900) -> Notice:
    return Notice(number, of, "scraper", tier, NoticeKind.NEW, at, "scraper down 15 min")


def one_of_each() -> tuple[Record, ...]:
    """Every kind of record, all about one service."""
    return (
        Segment("scraper", State.OK, T - 500, T, "healthy"),
        Rollup("scraper", 1_789_999_800, 10, 1, 0.045, 0.0125),
        replace(incident(), symptom="unresponsive", joined=("critical", "exited"), tier=Tier.SOFT, routine=False, acked=True),
        Entry(1, "scraper", T, "check", "timeout"),
        ended(),
        decision(),
        Exit("scraper", T + 96, -9, True, "812:4711:b00t"),
        Hold("scraper", T, T + 1200, "root", "deploy", stop=True),
        notice(),
        Letter(1, "telegram:111111111", 1, attempts=2, not_before=T + 960, tried_at=T + 930, detail="no connection"),
        Chat("telegram:111111111", moved_to=-1001234567890123, topicless=True, off="the bot was blocked"),
        Evidence(1, "scraper", 1, T + 91, "evidence", "cpu 3 %"),
        Audit(T, 0, 4242, "hold", "scraper for 20m", True),
        Memory("scraper", '{"parked":{"until":5}}'),
        Meta("boot_id", "b00t"),
    )
