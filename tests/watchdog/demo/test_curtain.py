"""The last words of the show."""

from __future__ import annotations

from tests.fakes.performance import T, evening, morning
from watchdog.alerts.phone import cells
from watchdog.demo.curtain import PHONE, alert, questions, summary, wrong_words
from watchdog.demo.ink import Ink
from watchdog.demo.scene import Tale


def test_the_summary_repeats_only_what_was_not_told() -> None:
    tale = Tale(("a", "b"), T)
    tale.closes += ["First.", "Second."]
    lines = summary(tale, evening(), Ink(), told=False)
    assert lines[1:] == [
        "All 2 acts happened, in 1 min 30 s; the store and the bots' own counters agree.",
        "✓ First.",
        "✓ Second.",
    ]
    assert len(summary(tale, evening(), Ink(), told=True)) == 2


def test_the_alert_stands_on_a_phone() -> None:
    lines = alert(evening())
    assert "Rates Bot down 24 s" in "\n".join(lines)
    assert {cells(line) for line in lines[2:]} == {PHONE}
    assert alert(morning()) == []


def test_why_and_the_digest_close_the_show() -> None:
    assert [question.command for question in questions()] == ["watchdogctl why report-bot", "watchdogctl digest"]
    assert questions()[1].lines(Ink())[-1] == "$ watchdogctl digest"


def test_what_went_wrong_is_told_with_the_last_words_of_the_daemon() -> None:
    lines = wrong_words(["nobody came"], ["it is cold"])
    assert lines == ["", "The demo did not go as it should:", "✗ nobody came", "The daemon said last:", "  it is cold"]
    assert len(wrong_words(["nobody came"], [])) == 3
