"""Rows of the store as a timeline: the newest version of each, in the order of events."""

from __future__ import annotations

from dataclasses import replace

from recovery.model import Effect, Run, RunOutcome, StepOutcome, StepRecord
from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.records import Notice, NoticeKind, Rollup
from watchdog.simulation.expectations import Happening
from watchdog.simulation.timeline import Rows, timeline

INCIDENT = Incident(1, "bot", Stage.CONFIRMED, 90.0, symptom="unresponsive", reason="4 timeouts", confirmed_at=180.0)
LOOK = StepRecord(0, "look", "capture_evidence", Effect.NONE, 181.0, outcome=StepOutcome.OK)
STOP = StepRecord(1, "stop", "stop_process", Effect.RESTART, 182.0, ended_at=190.0, outcome=StepOutcome.OK, detail="killed")
RUN = Run(1, "bot", "restart", 1, 180.0, Effect.DESTRUCTIVE, steps=(LOOK, STOP))


def told(*records: object) -> list[Happening]:
    rows = Rows()
    for record in records:
        rows.see(record)  # type: ignore[arg-type]
    return timeline(rows, lambda wall: wall)


def kinds(*records: object) -> list[tuple[str, str]]:
    return [(each.kind, each.name) for each in told(*records)]


def test_a_row_that_changed_is_one_happening() -> None:
    closed = replace(INCIDENT, stage=Stage.CLOSED, outcome=Outcome.HEALED, closed_at=240.0)
    found = told(INCIDENT, closed)
    assert [(each.kind, each.data["outcome"], each.until) for each in found] == [("incident", "healed", 240.0)]
    assert found[0].data["reason"] == "unresponsive: 4 timeouts"


def test_blips_and_members_are_no_incidents_of_their_own() -> None:
    blip = replace(INCIDENT, confirmed_at=None, symptom=None)
    assert kinds(blip, replace(INCIDENT, id=2, parent=7)) == [("member", "bot"), ("blip", "bot")]


def test_a_run_is_told_with_its_steps_and_the_effect_that_it_had() -> None:
    found = kinds(replace(RUN, outcome=RunOutcome.HEALED))
    assert found == [
        ("playbook", "restart"),
        ("action", "capture_evidence"),
        ("action", "stop_process"),
        ("effect", "restart"),
    ]


def test_a_run_that_touched_nothing_had_no_effect() -> None:
    skipped = replace(STOP, outcome=StepOutcome.SKIPPED)
    assert "effect" not in [kind for kind, _ in kinds(replace(RUN, steps=(LOOK, skipped)))]


def test_a_refunded_run_had_no_effect() -> None:
    assert "effect" not in [kind for kind, _ in kinds(replace(RUN, refunded=True))]


def test_the_first_word_about_an_incident_is_an_alert_and_the_rest_are_edits() -> None:
    soft = Notice(1, 1, "bot", Tier.SOFT, NoticeKind.NEW, 270.0, "a")
    rows = (
        replace(soft, id=4, kind=NoticeKind.CLOSE, tier=Tier.CRITICAL, at=1000.0),
        soft,
        replace(soft, id=2, kind=NoticeKind.EDIT, at=280.0),
        replace(soft, id=3, tier=Tier.CRITICAL, at=990.0),
        replace(soft, id=9, incident=2, kind=NoticeKind.CLOSE, tier=Tier.SILENT, at=2000.0),
    )
    assert kinds(*rows) == [
        ("alert", "soft"),
        ("edit", "soft"),
        ("alert", "critical"),
        ("edit", "critical"),
        ("alert", "silent"),
    ]


def test_rows_that_are_no_event_are_left_out() -> None:
    assert told(Rollup("bot", 0, 10, 0, 0.1, 0.1)) == []
