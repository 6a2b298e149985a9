from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from tests.fakes import past
from watchdog.cli.views.frame import Frame
from watchdog.cli.views.incidents import incidents_lines, told
from watchdog.model.incident import Outcome, Stage

ZONE = timezone(timedelta(hours=5))
NOW = datetime(2026, 8, 16, 3, 34, 40, tzinfo=ZONE).timestamp()
FRAME = Frame(NOW, ZONE)

GOLDEN = """\
    ID  SERVICE       SINCE            LASTED      TIER    WHAT
●  214  ezee-scraper  03:32:10         2 min 30 s  silent  unresponsive: healing, 1 blocked
○  198  ezee-scraper  15 Aug 15:34:40  2 min 24 s  soft    unresponsive: healed, again 1 time"""


def test_the_list_in_black_and_white() -> None:
    found = [past.open_incident(NOW), replace(past.closed_incident(NOW), relapses=1)]
    assert "\n".join(incidents_lines(found, {214: ["report-bot"]}, FRAME)) == GOLDEN


def test_in_eighty_columns_the_words_that_matter_go_on_below_and_nothing_is_cut() -> None:
    found = replace(past.closed_incident(NOW), outcome=Outcome.ESCALATED, relapses=1)
    lines = incidents_lines([found], {}, replace(FRAME, width=80))
    assert max(map(len, lines)) <= 80
    assert " ".join(line[57:].strip() for line in lines[1:]).endswith("unresponsive: ended by a person, again 1 time")


def test_none_is_said_in_words() -> None:
    assert incidents_lines([], {}, FRAME) == ["No incident in this time."]


@pytest.mark.parametrize(
    ("outcome", "words"),
    [(Outcome.SELF_RECOVERED, "recovered by itself"), (Outcome.ESCALATED, "ended by a person"), (None, "closed")],
)
def test_each_end_has_its_words(outcome: Outcome | None, words: str) -> None:
    assert told(replace(past.closed_incident(NOW), outcome=outcome), FRAME) == f"198 · unresponsive, {words} after 2 min 24 s"


def test_what_waits_for_a_person_says_so() -> None:
    waiting = replace(past.open_incident(NOW), stage=Stage.PERSON, acked=True)
    assert incidents_lines([waiting], {}, FRAME)[1].endswith("unresponsive: needs a person, seen")
