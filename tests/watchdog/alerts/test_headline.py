"""The first line says who, what, for how long, and why it is yours."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC

import pytest

from recovery.model import Effect, Run, RunOutcome, StepOutcome, StepRecord
from watchdog.alerts.headline import failures, grounds, headline, need, question, spent
from watchdog.alerts.story import Story
from watchdog.model.incident import Incident, Stage, Tier

T0 = 1_786_833_120.0
DOWN = Incident(7, "bot", Stage.CONFIRMED, T0, symptom="unresponsive", confirmed_at=T0 + 90, clock_at=T0, tier=Tier.CRITICAL)
STEP = StepRecord(0, "up", "ensure_running", Effect.RESTART, T0, ended_at=T0 + 1, outcome=StepOutcome.FAILED)
TRY = Run(1, "bot", "start-exited", 7, T0 + 95, Effect.RESTART, ended_at=T0 + 99, outcome=RunOutcome.FAILED, steps=(STEP,))


def story(stage: Stage = Stage.CONFIRMED, reason: str = "", *runs: Run, **more: object) -> Story:
    made = Story("Menu Bot", replace(DOWN, stage=stage, reason=reason), T0 + 900, UTC, runs=runs)
    return replace(made, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (story(), "Menu Bot down 15 min, not healed"),
        (story(why="4 times in an hour"), "Menu Bot down again, 4 times in an hour"),
        (story(Stage.PARKED, "start-exited: gone", TRY, replace(TRY, id=2)), "Menu Bot down 15 min, 2 tries failed"),
        (story(Stage.PARKED, "3 of 3 restarts in 1 h are used up"), "Menu Bot down again, no restart left"),
        (story(Stage.PARKED, "4 exits in 10 min"), "Menu Bot down 15 min, parked"),
        (story(Stage.WAITING, "approval: x waits for a yes (watchdogctl approve 9)"), "Menu Bot down 15 min, waits for your yes"),
        (story(Stage.WAITING, "observe: would run start-exited"), "Menu Bot down 15 min, observe mode"),
        (story(Stage.WAITING, "cooldown of start-exited"), "Menu Bot down 15 min, not healed"),
    ],
)
def test_a_page_begins_with_what_is_and_what_became_of_it(told: Story, line: str) -> None:
    assert headline(told) == line


@pytest.mark.parametrize(
    ("reason", "gist", "full"),
    [
        ("no runtime is declared: it is watched only, and a person must act", "down 15 min, I can only watch it", True),
        ("approval of ask-first: expired", "down 15 min, nobody answered about ask-first", True),
        ("approval of ask-first: rejected", "down 15 min, a person said no to ask-first", True),
        ("QR needed: nothing a restart can mend", "QR needed: nothing a restart can mend", False),
        ("", "not answering", False),
    ],
)
def test_who_is_needed_hears_why_and_the_whole_reason_once(reason: str, gist: str, full: bool) -> None:
    told = story(Stage.PERSON, reason)
    assert need(told) == gist
    assert grounds(told) == (reason if full else "")


def test_what_a_step_found_is_told_without_the_names_of_ours() -> None:
    reason = "start-exited: ensure_running: port 8081 is taken by somebody else; that is left to a person"
    asks = replace(TRY, outcome=RunOutcome.NEEDS_PERSON)
    told = story(Stage.PERSON, reason, asks)
    assert need(told) == "port 8081 is taken by somebody else"
    assert grounds(told) == "", "it stands among the tries"
    assert need(story(Stage.PERSON, "start-exited: not healthy", TRY)) == "down 15 min, start-exited did not help"


def test_a_spent_budget_is_a_ground_and_a_failed_try_is_none_twice() -> None:
    used = story(Stage.PARKED, "3 of 3 restarts in 1 h are used up")
    assert spent(used)
    assert grounds(used) == "3 of 3 restarts in 1 h are used up"
    assert grounds(story(Stage.PARKED, "start-exited: gone; that was 3 of 3", TRY)) == ""
    assert grounds(story()) == ""


def test_only_tries_since_it_last_came_back_count() -> None:
    again = story(Stage.PARKED, "", TRY)
    assert failures(again) == 1
    assert failures(replace(again, incident=replace(again.incident, reopened_at=T0 + 100))) == 0


def test_a_question_is_known_by_its_number() -> None:
    assert question(story(Stage.WAITING, "approval: x waits for a yes (watchdogctl approve 12)")) == 12
    assert question(story(Stage.WAITING, "cooldown")) is None
