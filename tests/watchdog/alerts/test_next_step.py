"""What happens next, and only commands that would be granted, as they can be copied."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC

import pytest

from recovery.model import Effect, Run
from watchdog.alerts.next_step import acts, follow, until_mended, untried
from watchdog.alerts.story import Story
from watchdog.model.incident import Incident, Stage

DOWN = Incident(7, "bot", Stage.CONFIRMED, 1e9, symptom="unresponsive", confirmed_at=1e9 + 90)
WATCHED = "no runtime is declared: it is watched only, and a person must act"
ASKS = "approval: ask-first waits for a yes (watchdogctl approve 12)"


def story(stage: Stage, reason: str = "", **more: object) -> Story:
    return replace(Story("Menu Bot", replace(DOWN, stage=stage, reason=reason), 1e9 + 900, UTC), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("told", "commands"),
    [
        (story(Stage.CONFIRMED), ["hold bot --for 1h"]),
        (story(Stage.PARKED), ["recover bot   # try again now"]),
        (story(Stage.PERSON, "QR needed"), ["recover bot   # once fixed: try again now"]),
        (story(Stage.PERSON, WATCHED), ["ack 7   # seen, no more sound"]),
        (story(Stage.WAITING, "observe: would run x"), ["ack 7   # seen, no more sound"]),
        (story(Stage.WAITING, ASKS), ["approve 12   # yes, run it", "reject 12   # no, leave it"]),
    ],
)
def test_the_commands_are_those_that_help_here(told: Story, commands: list[str]) -> None:
    assert acts(told) == ["watchdogctl incident 7", *(f"watchdogctl {each}" for each in commands)]


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (story(Stage.HEALING, runs=(Run(1, "bot", "start-exited", 7, 1e9, Effect.RESTART),)), "start-exited is running"),
        (story(Stage.HEALING), "being healed"),
        (story(Stage.OPEN, "the hold is over; confirmed anew"), "the hold is over; confirmed anew"),
        (story(Stage.WAITING, "cooldown"), "I wait: cooldown"),
        (story(Stage.WAITING, "cooldown", next="cooldown, until 03:50"), "cooldown, until 03:50"),
        (story(Stage.WAITING, "observe: would run x"), "nothing by me; without observe I would run x"),
        (
            story(Stage.WAITING, ASKS, next=f"{ASKS}, until 00:37"),
            "ask-first waits for a yes, until 00:37; nothing is done without it",
        ),
        (story(Stage.PARKED, next="one attempt at 04:32"), "one attempt at 04:32"),
    ],
)
def test_what_is_being_done_comes_before_what_a_clock_would_bring(told: Story, words: str) -> None:
    assert follow(told) == words


def test_where_nothing_was_tried_it_says_why() -> None:
    said = [untried(story(stage)) for stage in (Stage.CONFIRMED, Stage.PARKED, Stage.PERSON)]
    assert said == ["nothing yet", "nothing this time", ""]
    assert untried(story(Stage.WAITING, "observe: would run x")) == "nothing: the mode is observe"


def test_what_a_person_does_comes_before_the_reminder() -> None:
    assert until_mended(story(Stage.PERSON, "QR needed"), "09:00").startswith("fix it, and this closes by itself")
    assert until_mended(story(Stage.PERSON, WATCHED), "09:00").startswith("bring it back yourself")
