"""The demo as it looks when all of it went well, built by hand: each test takes one thing out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from recovery.model import Effect, Run, RunOutcome, StepOutcome, StepRecord
from watchdog.demo.fleet import CAST, DATABASE, HANGS, HOPELESS, NAMES, STALE, dependents
from watchdog.demo.seen import BRING_UP, Seen
from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.records import Notice, NoticeKind

T = 1_790_000_000.0


def step(action: str, at: float, detail: str = "done") -> StepRecord:
    return StepRecord(0, action, action, Effect.RESTART, at, "", at + 1, StepOutcome.OK, detail)


def recovery(
    number: int,
    name: str,
    playbook: str,
    at: float,
    outcome: RunOutcome | None = RunOutcome.HEALED,
    steps: tuple[StepRecord, ...] = (),
    of: int | None = None,
    detail: str = "",
) -> Run:
    ended = at + 5 if outcome is not None else None
    return Run(number, name, playbook, of, at, Effect.RESTART, steps=steps, ended_at=ended, outcome=outcome, detail=detail)


def closed(number: int, name: str, at: float, outcome: Outcome, parent: int | None = None) -> Incident:
    return Incident(
        number, name, Stage.CLOSED, at, "over", "critical", parent=parent, confirmed_at=at + 1, closed_at=at + 7, outcome=outcome
    )


def doc(name: str, state: str = "ok", **more: Any) -> Mapping[str, Any]:
    empty = {"blocked_by": None, "parked": False, "stage": None, "reason": "", "latency_ms": 2.0, "now": "", "incident": None}
    return {"name": name, "state": state, **empty, **more}


def morning() -> Seen:
    """All are up, nothing has happened yet."""
    depth: dict[str, int] = {}
    for part in CAST:
        depth[part.name] = max((depth[name] + 1 for name in part.needs), default=0)
    ups = tuple(recovery(n, name, BRING_UP, T + 6 * depth[name]) for n, name in enumerate(NAMES, start=1))
    return Seen(T + 20, {name: doc(name) for name in NAMES}, (), ups, (), dict.fromkeys(NAMES, 1))


def evening() -> Seen:
    """After the last act."""
    start = morning()
    direct, behind = dependents(DATABASE)
    stop = step("stop_process", T + 31, "SIGTERM was ignored for 2.0 s, 2 killed")
    runs = [
        recovery(21, HANGS, "restart-unresponsive", T + 30, steps=(stop,), of=1),
        recovery(22, STALE, "soft-recovery", T + 40, of=2),
        recovery(23, DATABASE, "start-exited", T + 50, of=3),
        *(recovery(n, HOPELESS, "restart-unresponsive", T + n, RunOutcome.FAILED, of=9, detail="refused") for n in (60, 70, 80)),
    ]
    incidents = [
        closed(1, HANGS, T + 28, Outcome.HEALED),
        closed(2, STALE, T + 38, Outcome.HEALED),
        closed(3, DATABASE, T + 48, Outcome.HEALED),
        *(closed(4 + n, name, T + 49, Outcome.SELF_RECOVERED, 3) for n, name in enumerate(direct)),
        closed(7, behind[0], T + 49, Outcome.SELF_RECOVERED, 5),
        closed(8, behind[1], T + 49, Outcome.SELF_RECOVERED, 3),
        Incident(9, HOPELESS, Stage.PARKED, T + 58, "refused", "unresponsive", tier=Tier.CRITICAL, outcome=Outcome.ESCALATED),
        Incident(10, "invoice-bot", Stage.BLOCKED, T + 59, "critical", "critical", parent=9, blocked_by=HOPELESS),
    ]
    page = Notice(1, 9, HOPELESS, Tier.CRITICAL, NoticeKind.NEW, T + 86, "🔴 Rates Bot down 24 s, 3 tries failed", T + 86.1)
    services = {
        **start.services,
        HOPELESS: doc(HOPELESS, "failing", parked=True, stage="parked", reason="refused", incident=9),
        "invoice-bot": doc("invoice-bot", "critical", blocked_by=HOPELESS, stage="blocked", reason="critical: lost rates-bot"),
    }
    starts = {**start.starts, HANGS: 2, DATABASE: 2, HOPELESS: 4}
    return replace(
        start,
        at=T + 90,
        services=services,
        incidents=tuple(incidents),
        runs=(*start.runs, *runs),
        notices=(page,),
        starts=starts,
    )
