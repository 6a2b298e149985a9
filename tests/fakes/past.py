"""A night to tell of: one bot hung and is being healed, another is blocked by it. Times hang on `now`, wall seconds."""

from __future__ import annotations

from recovery.model import Effect, Run, RunOutcome, StepOutcome, StepRecord
from watchdog.decisions.ports import Record
from watchdog.model.decision import Decision, Ruling, Step, Verdict
from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.records import Entry, Evidence, Hold, Notice, NoticeKind, Segment
from watchdog.model.service import State

DAY = 86400.0
KILLED, ALIVE = "ignored SIGTERM, killed", "alive after SIGKILL"
SCRAPER, REPORT, POSTGRES = "ezee-scraper", "report-bot", "postgres"


def open_incident(now: float) -> Incident:
    return Incident(
        214,
        SCRAPER,
        Stage.HEALING,
        now - 150,
        reason="4 timeouts on /health",
        symptom="unresponsive",
        confirmed_at=now - 30,
        clock_at=now - 150,
        run=9,
    )


def closed_incident(now: float) -> Incident:
    return Incident(
        198,
        SCRAPER,
        Stage.CLOSED,
        now - DAY / 2,
        reason="4 timeouts on /health",
        symptom="unresponsive",
        confirmed_at=now - DAY / 2 + 90,
        closed_at=now - DAY / 2 + 144,
        outcome=Outcome.HEALED,
        tier=Tier.SOFT,
    )


def member(now: float) -> Incident:
    return Incident(
        215, REPORT, Stage.BLOCKED, now - 60, symptom="critical", confirmed_at=now - 50, blocked_by=SCRAPER, parent=214
    )


def blip(now: float) -> Incident:
    closed, outcome = now - 3570, Outcome.SELF_RECOVERED
    return Incident(213, POSTGRES, Stage.CLOSED, now - 3600, reason="refused", closed_at=closed, outcome=outcome)


def failed_run(now: float) -> Run:
    steps = (
        StepRecord(0, "evidence", "capture_evidence", Effect.NONE, now - 90, "", now - 89.5, StepOutcome.OK, "3 observations"),
        StepRecord(1, "stop", "stop_process", Effect.RESTART, now - 89.5, "7:1", now - 60, StepOutcome.FAILED, ALIVE),
    )
    return Run(
        8,
        SCRAPER,
        "restart-unresponsive",
        214,
        now - 90,
        Effect.RESTART,
        ended_at=now - 60,
        outcome=RunOutcome.FAILED,
        steps=steps,
    )


def open_run(now: float) -> Run:
    steps = (
        StepRecord(0, "evidence", "capture_evidence", Effect.NONE, now - 30, "", now - 29.5, StepOutcome.OK, "3 observations"),
        StepRecord(1, "stop", "stop_process", Effect.RESTART, now - 29.5, "7:1", now - 19, StepOutcome.OK, KILLED),
        StepRecord(2, "run", "ensure_running", Effect.RESTART, now - 19),
    )
    return Run(9, SCRAPER, "restart-unresponsive", 214, now - 30, Effect.RESTART, steps=steps)


def trail(*last: Ruling) -> tuple[Ruling, ...]:
    """The rulings that pass, up to the step of the last one."""
    words = {
        Step.HOST: "store and network fine; 1 of 42 bad (a storm begins at 20)",
        Step.OPERATOR: "no hold, no maintenance; nobody stopped it",
        Step.ROOT: "postgres ok in 1 ms",
        Step.GRACE: "started 3 days ago",
        Step.TERMINAL: "nothing only a person can mend",
        Step.BUDGET: "1 of 3 in 1 h; no cooldown",
    }
    order = list(Step)
    before = order[: order.index(last[0].step)]
    return (*(Ruling(step, Verdict.PASS, words[step]) for step in before), *last)


def heal(now: float) -> Decision:
    ruling = Ruling(Step.PLAYBOOK, Verdict.HEAL, "only match; runtime process", playbook="restart-unresponsive")
    return Decision(now - 30, SCRAPER, 214, trail(ruling), now - 30)


def wait(now: float) -> Decision:
    ruling = Ruling(Step.BUDGET, Verdict.WAIT, "cooldown of restart-unresponsive", until=now + 270)
    return Decision(now - 3, SCRAPER, 214, trail(ruling), now - 1, 3)


def held(now: float, back: float) -> Decision:
    ruling = Ruling(Step.OPERATOR, Verdict.WAIT, f"on hold by anna: deploy {back:g}", until=now + 60)
    return Decision(now - back, SCRAPER, 214, trail(ruling), now - back)


def segments(now: float) -> list[Segment]:
    return [
        Segment(POSTGRES, State.OK, now - 12 * DAY),
        Segment(SCRAPER, State.OK, now - 3 * DAY, now - DAY / 2),
        Segment(SCRAPER, State.FAILING, now - DAY / 2, now - DAY / 2 + 144, "timeout ×4"),
        Segment(SCRAPER, State.OK, now - DAY / 2 + 144, now - 150),
        Segment(SCRAPER, State.FAILING, now - 150, None, "timeout after 29.9 s"),
        Segment(REPORT, State.OK, now - 5 * 3600, now - 60),
        Segment(REPORT, State.CRITICAL, now - 60, None, "db: no answer"),
    ]


def story(now: float) -> list[Record]:
    """All of it, as the daemon would have written it."""
    return [
        *segments(now),
        closed_incident(now),
        blip(now),
        open_incident(now),
        member(now),
        failed_run(now),
        open_run(now),
        held(now, 120),
        held(now, 110),
        heal(now),
        wait(now),
        Entry(214, SCRAPER, now - 150, "opened", "timeout after 29.9 s"),
        Entry(214, SCRAPER, now - 30, "confirmed", "unresponsive: 4 failing checks in a row"),
        Evidence(214, SCRAPER, 9, now - 29, "evidence", "observations\n  timeout\n\x1b[2Jlog\n  ImportError: cannot import name"),
        Notice(3, 214, SCRAPER, Tier.SOFT, NoticeKind.NEW, now - 10, "🟡 eZee Scraper: down 3 min, being restarted"),
        Notice(2, 198, SCRAPER, Tier.CRITICAL, NoticeKind.NEW, now - DAY / 2, "🔴 eZee Scraper down", now - DAY / 2 + 1),
        Hold(POSTGRES, now - 100, now + 1200, "anna", "deploy of 1.4.2"),
    ]
