"""Likely causes: each with its numbers, and none without."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC

import pytest

from watchdog.alerts.causes import Change, Clues, changed, dominant, faster, guesses, same_hour, shared
from watchdog.model.incident import Incident, Outcome, Stage

HOUR, DAY = 3600.0, 86400.0
T0 = 20_000 * DAY + 3.5 * HOUR
NOW = Incident(90, "scraper", Stage.CONFIRMED, T0, symptom="unresponsive", confirmed_at=T0 + 90)
DEPLOY = Change(T0 - 240, "version 1.4.1 → 1.4.2")


def closed(number: int, ago: float, lasted: float = 300.0, **more: object) -> Incident:
    base = replace(NOW, id=number, opened_at=T0 - ago, stage=Stage.CLOSED, closed_at=T0 - ago + lasted, outcome=Outcome.HEALED)
    return replace(base, **more)  # type: ignore[arg-type]


def clues(*past: Incident, **more: object) -> Clues:
    return replace(Clues(NOW, T0 + 900, UTC, past), **more)  # type: ignore[arg-type]


def test_a_change_shortly_before_is_told_with_how_calm_it_was_before_it() -> None:
    assert (
        changed(clues(closed(1, 12 * DAY), changes=(DEPLOY,)))
        == "version 1.4.1 → 1.4.2, 4 min before the first failure (12 days without one before it)"
    )
    assert changed(clues(changes=(DEPLOY,))).endswith("(no earlier failure is known)")
    assert changed(clues(closed(1, 12 * DAY, symptom="oom"), changes=(DEPLOY,))).endswith("(12 days without one before it)")


@pytest.mark.parametrize(
    "change",
    [
        Change(T0 + 10, "restarted by hand"),  # it came after the failure, and may be because of it
        Change(T0 - 1801, "restarted by hand"),
    ],
)
def test_a_change_that_is_not_shortly_before_is_no_cause(change: Change) -> None:
    assert changed(clues(changes=(change,))) == ""


def test_of_several_changes_the_newest_are_named_in_their_order() -> None:
    held = Change(T0 - 120, "the hold by anna ended")
    told = changed(clues(changes=(Change(T0 - 900, "restarted by hand"), DEPLOY, held)))
    assert told.startswith("version 1.4.1 → 1.4.2, then the hold by anna ended, 2 min before the first failure")


def test_what_fails_all_the_time_does_not_fail_because_of_a_change() -> None:
    """20 minutes hold 0.23 failures by chance where there were 500 in 30 days."""
    often = tuple(closed(n, n * 30 * DAY / 501, 60) for n in range(1, 501))
    late = Change(T0 - 1200, "its configuration was changed by a reload")
    assert changed(clues(*often, changes=(late,))) == ""
    assert changed(clues(*often[::2], changes=(late,))) != ""


def test_a_relapse_counts_from_its_own_beginning() -> None:
    again = replace(NOW, reopened_at=T0 + 2 * HOUR, relapses=1)
    change = Change(T0 + 2 * HOUR - 60, "restarted by hand")
    assert changed(replace(clues(changes=(change,)), incident=again)).startswith("restarted by hand, 1 min before")


VAULT, POSTGRES = ("scraper", "mailer", "report"), ("scraper", "site")
SHARES = {"Vault": VAULT, "Postgres": POSTGRES}


def test_what_several_need_that_fail_together_is_named_with_its_share() -> None:
    bad = {"scraper": T0, "mailer": T0 + 30, "report": T0 - 200}
    assert shared(clues(shares=SHARES, bad=bad)) == "Vault: all 3 services that need it went bad within 10 min"
    assert shared(clues(shares=SHARES, bad={"scraper": T0, "mailer": T0})) == (
        "Vault: 2 of the 3 services that need it went bad within 10 min"
    )


@pytest.mark.parametrize(
    "bad",
    [
        {"scraper": T0},
        {"scraper": T0, "mailer": T0 - 601},  # long before
        {"scraper": T0, "cron": T0},  # they share nothing
    ],
)
def test_one_alone_or_at_another_time_shares_no_cause(bad: dict[str, float]) -> None:
    assert shared(clues(shares=SHARES, bad=bad)) == ""
    assert shared(clues(shares={}, bad=bad)) == ""


def test_fewer_than_half_of_those_who_need_it_are_no_ground() -> None:
    users = ("scraper", *(f"bot-{n}" for n in range(9)))
    assert shared(clues(shares={"Vault": users}, bad={"scraper": T0, "bot-1": T0})) == ""


RESET = "2026-08-16 03:31 ERROR aiohttp.ClientConnectionResetError: Cannot write to closing transport"


def test_the_usual_error_of_the_log_is_named_with_its_count() -> None:
    log = ("Traceback (most recent call last):", *(RESET,) * 9, "KeyError: 'x'", "retrying")
    assert dominant(log) == "ClientConnectionResetError: 9 of 10 errors in its last log lines"
    assert dominant((RESET,) * 3) == "", "three lines are in the message themselves"
    assert dominant((RESET, RESET, "KeyError", "ValueError")) == ""
    assert dominant(("all is well",) * 9) == ""


def test_it_breaks_sooner_each_time() -> None:
    past = (closed(1, 20 * HOUR), closed(2, 10 * HOUR), closed(3, 4 * HOUR), closed(4, HOUR))
    assert faster(clues(*past)) == "it breaks sooner each time: after 9 h 55 min, 5 h 55 min, 2 h 55 min, then 55 min"
    assert faster(clues(*past[1:])) == "it breaks sooner each time: after 5 h 55 min, 2 h 55 min, then 55 min"
    older = closed(9, 25 * HOUR)
    assert faster(clues(older, *past)) == faster(clues(*past)), "only the stretch that shortens is told"


def test_without_a_trend_there_is_no_word_of_one() -> None:
    assert faster(clues(closed(1, 4 * HOUR), closed(2, HOUR))) == "", "too few"
    assert faster(clues(closed(1, 9 * HOUR), closed(2, 6 * HOUR), closed(3, HOUR), closed(4, 0.5 * HOUR))) == "", "up and down"
    steady = tuple(closed(n, (5 - n) * 6 * HOUR - n * 60) for n in range(1, 5))
    assert faster(clues(*steady)) == "", "a little shorter is no trend"
    assert faster(clues(closed(1, 30 * DAY), closed(2, 20 * DAY), closed(3, 9 * DAY), closed(4, HOUR))) == "", "long ago"


def test_the_same_hour_each_night_is_a_ground() -> None:
    nights = tuple(closed(n, n * DAY) for n in range(1, 5))
    assert same_hour(clues(*nights)) == "something that runs at this hour: 4 of 4 began between 01:00 and 04:00"
    assert same_hour(clues(*nights[:3])) == "", "too little history makes no guess"
    assert same_hour(clues(*(closed(n, n * DAY + n * 5 * HOUR) for n in range(1, 5)))) == ""


def test_the_best_founded_comes_first_and_nothing_is_guessed_without_a_ground() -> None:
    nights = tuple(closed(n, n * DAY) for n in range(1, 5))
    found = guesses(clues(*nights, changes=(DEPLOY,), log=(RESET,) * 5))
    assert [text.split(":")[0].split(",")[0] for text in found] == [
        "version 1.4.1 → 1.4.2",
        "ClientConnectionResetError",
        "something that runs at this hour",
    ]
    assert guesses(clues()) == ()
