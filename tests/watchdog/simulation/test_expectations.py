"""A timeline against what a scenario expects: what fits, what does not, and in which words."""

from __future__ import annotations

import pytest

from watchdog.simulation.expectations import Expect, Happening, clock, failures

STARTED = Happening(125.0, "playbook", "scraper", "restart-unresponsive", data={"outcome": "healed"})
TIMELINE = (
    Happening(95.0, "state", "scraper", "failing", until=150.0, data={"reason": "timeout"}),
    Happening(120.0, "decision", "scraper", "heal", data={"reason": "4 failing checks"}),
    STARTED,
    Happening(126.0, "action", "scraper", "capture_evidence", data={"outcome": "ok"}),
    Happening(127.0, "action", "scraper", "stop_process", data={"outcome": "ok"}),
    Happening(137.0, "effect", "scraper", "restart"),
    Happening(138.0, "action", "scraper", "ensure_running", data={"outcome": "ok"}),
    Happening(90.0, "incident", "scraper", "scraper", data={"outcome": "healed", "tier": "silent", "reason": "unresponsive"}),
    Happening(300.0, "alert", "postgres", "critical", data={"tier": "critical", "text": "Postgres down 15 min"}),
)


def fails(expect: Expect) -> str:
    found = failures(TIMELINE, [expect])
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    "expect",
    [
        Expect("playbook", "restart-unresponsive", "scraper", window=(120, 240), fields={"outcome": "healed"}),
        Expect("playbook", "any", count=(1, 1)),
        Expect("incident", "scraper", fields={"outcome": "healed", "tier": "silent", "reason": "unresp"}),
        Expect("alert", "critical", "scraper", count=(0, 0)),
        Expect("alert", "critical", fields={"text": r"down \d+ min"}),
        Expect("effect", "restart", "scraper", count=(1, 1)),
        Expect("decision", "escalate", count=(0, 0)),
        Expect("action", "any", "scr*", count=(2, 3)),
        Expect("order", order=("capture_evidence", "ensure_running"), service="scraper"),
        Expect("order", order=("scraper/stop_process", "scraper/ensure_running")),
    ],
)
def test_what_happened_as_expected_is_no_failure(expect: Expect) -> None:
    assert failures(TIMELINE, [expect]) == []


def test_a_state_counts_in_every_window_that_it_lasts_into() -> None:
    assert failures(TIMELINE, [Expect("state", "failing", window=(140, 145))]) == []
    assert failures(TIMELINE, [Expect("state", "failing", window=(151, 200), count=(0, 0))]) == []


def test_a_silent_line_is_no_message_unless_it_is_asked_for() -> None:
    quiet = [Happening(240.0, "alert", "scraper", "silent", data={"tier": "silent"})]
    assert failures(quiet, [Expect("alert", "any", count=(0, 0)), Expect("alert", "silent", count=(1, 1))]) == []


def test_the_wrong_moment_names_what_came_nearest() -> None:
    text = fails(
        Expect("playbook", "restart-unresponsive", window=(0, 60), where="s.yaml:9", text="{playbook: restart-unresponsive}")
    )
    assert text.startswith("s.yaml:9: expected {playbook: restart-unresponsive} at least once, found 0; nearest: ")
    assert "playbook restart-unresponsive of scraper at 2m5s, healed (at 2m5s)" in text


def test_a_wrong_outcome_is_told_as_it_was() -> None:
    assert "outcome is 'healed'" in fails(Expect("incident", "scraper", fields={"outcome": "escalated"}))


def test_a_word_of_ours_is_compared_whole() -> None:
    assert "outcome is 'healed'" in fails(Expect("incident", "scraper", fields={"outcome": "heal"}))


def test_an_open_outcome_can_be_expected() -> None:
    assert "outcome is 'healed'" in fails(Expect("incident", "scraper", fields={"outcome": None}))


def test_too_many_are_listed() -> None:
    text = fails(Expect("alert", "critical", count=(0, 0)))
    assert "never, found 1: alert critical of postgres at 5m" in text


def test_nothing_of_the_kind_is_said_plainly() -> None:
    assert "there was no report at all" in fails(Expect("report", "digest"))


def test_a_wrong_order_says_which_step_is_missing_after_which() -> None:
    text = fails(Expect("order", order=("stop_process", "capture_evidence"), service="scraper"))
    assert "no capture_evidence after stop_process" in text
    assert "capture_evidence, stop_process, ensure_running" in text


@pytest.mark.parametrize(("seconds", "text"), [(0, "0s"), (65, "1m5s"), (3600, "1h"), (209.9, "3m29.9s"), (90061.0, "25h1m1s")])
def test_times_are_written_as_scenarios_write_them(seconds: float, text: str) -> None:
    assert clock(seconds) == text
