from __future__ import annotations

from pathlib import Path

import pytest

from watchdog.alerts.answers import Verdict
from watchdog.errors import ConfigurationError
from watchdog.simulation.run import Report, simulated
from watchdog.simulation.scenario_file import read
from watchdog.simulation.telegram import answering


def play(world: str, alerts: str = "") -> Report:
    text = (
        f"name: n\nconfig: {{{alerts}services: {{bot: {{probe: {{http: 'http://b/h'}}}}}}}}\nuntil: 2h\n"
        f"world:\n  - {{at: 1m, service: bot, does: refuse}}\n{world}\nexpect:\n  - {{alert: critical, count: 1}}\n"
    )
    return simulated(read(text, "s.yaml"), Path())


def delivered(report: Report) -> float | None:
    (found,) = [each.data.get("delivered") for each in report.timeline if each.kind == "alert"]
    return found


def test_an_alert_is_counted_when_it_is_due_and_delivered_when_it_can_be() -> None:
    there = play("")
    late = play("  - {at: 0s, telegram: down}\n  - {at: 1h, telegram: up}")
    never = play("  - {at: 0s, telegram: {status: 401}}")
    assert there.passed
    assert late.passed
    assert never.passed
    assert (delivered(there) or 0.0) < 300
    assert 3600 <= (delivered(late) or 0.0) < 4000
    assert delivered(never) is None


def test_a_wait_that_is_asked_for_is_kept_and_chats_are_not_counted() -> None:
    report = play(
        "  - {at: 0s, telegram: {status: 429, retry_after: 34s}}\n  - {at: 20m, telegram: up}",
        "alerts: {telegram: {token: {file: nowhere}, chats: [1, 2, -3]}}, ",
    )
    assert report.passed
    assert 1200 <= (delivered(report) or 0.0) < 1240


def test_the_answers_are_judged_by_the_table_of_the_product() -> None:
    assert answering(403, None).verdict is Verdict.CHAT_OFF
    assert answering(429, 34.0).wait == 34.0
    assert answering(599, None).verdict is Verdict.AGAIN


@pytest.mark.parametrize("word", ["sideways", "{retry_after: 5s}", "{status: 42}"])
def test_a_slip_of_the_pen_is_told(word: str) -> None:
    with pytest.raises(ConfigurationError):
        play(f"  - {{at: 0s, telegram: {word}}}")
