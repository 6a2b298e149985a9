"""What history says about an incident, with numbers."""

from __future__ import annotations

from dataclasses import replace

from recovery.model import Effect, Run, RunOutcome
from watchdog.alerts.before import before
from watchdog.model.incident import Incident, Outcome, Stage

DAY = 86400.0
T0 = 20_000 * DAY + 3.5 * 3600
NOW = Incident(9, "scraper", Stage.CONFIRMED, T0, symptom="unresponsive", confirmed_at=T0 + 90)
OTHERS = tuple(replace(NOW, id=n, opened_at=T0 - n * DAY, stage=Stage.CLOSED) for n in range(1, 5))
RUNS = tuple(Run(n, "scraper", "restart-unresponsive", n, T0, Effect.RESTART, outcome=RunOutcome.HEALED) for n in range(1, 5))


def test_what_always_helped_is_named() -> None:
    assert before(NOW, OTHERS, RUNS, T0) == "4 times in 30 days, restart-unresponsive helped each time"
    assert before(NOW, OTHERS, RUNS[:3], T0) == "4 times in 30 days, restart-unresponsive helped 3 of 4"
    assert before(NOW, OTHERS[:1], RUNS, T0) == "once in 30 days, restart-unresponsive helped"


def test_an_incident_remembers_what_healed_it_longer_than_runs_are_kept() -> None:
    healed = tuple(replace(each, outcome=Outcome.HEALED, reason="healed by restart-unresponsive") for each in OTHERS)
    assert before(NOW, healed, (), T0) == "4 times in 30 days, restart-unresponsive helped each time"


def test_what_came_back_alone_was_not_left_without_help() -> None:
    alone = tuple(replace(each, outcome=Outcome.SELF_RECOVERED) for each in OTHERS)
    assert before(NOW, alone, (), T0) == "4 times in 30 days, it came back by itself"
    mixed = (*alone[:3], replace(OTHERS[3], outcome=Outcome.ESCALATED))
    assert before(NOW, mixed, (), T0) == "4 times in 30 days, no run of a playbook helped"


def test_the_first_time_has_no_before() -> None:
    assert before(NOW, (NOW,), (), T0) == ""
    assert before(NOW, (replace(OTHERS[0], symptom="exited"), replace(OTHERS[1], parent=3)), RUNS, T0) == ""
