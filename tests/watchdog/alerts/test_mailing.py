from __future__ import annotations

from datetime import UTC

from watchdog.alerts import mailing
from watchdog.model.incident import Tier
from watchdog.model.records import Notice, NoticeKind


def notice(number: int, text: str, kind: NoticeKind = NoticeKind.NEW, tier: Tier = Tier.SOFT) -> Notice:
    return Notice(number, number, "bot", tier, kind, 3600.0 * number, text)


def test_a_message_in_time_is_left_as_it_is() -> None:
    assert mailing.dressed("🔴 bot down\nmore", 5.0, repeated=False) == "🔴 bot down\nmore"


def test_what_is_late_or_repeated_says_so_and_keeps_its_first_line_first() -> None:
    assert mailing.dressed("🔴 bot down\nmore", 840.0, repeated=True) == (
        "🔴 bot down (repeat)\nmore\nDelayed 14 min: this could not be sent before."
    )


def test_a_summary_has_a_line_for_each_with_its_own_time() -> None:
    told = [
        notice(1, "🟡 a: healed\nmore"),
        notice(2, "✅ b is back", NoticeKind.CLOSE),
        notice(3, "🔴 c down", tier=Tier.CRITICAL),
    ]
    assert mailing.summary(told, 7 * 3600.0, UTC).split("\n") == [
        "📭 3 messages of the last 6 h that could not be sent in time",
        "",
        "01:00 🟡 a: healed",
        "02:00 ✅ b is back",
        "03:00 🔴 c down (not over)",
        "",
        "All of them: watchdogctl incidents",
    ]


def test_a_long_summary_says_how_many_it_leaves_out() -> None:
    rows = mailing.summary([notice(number, f"n{number}") for number in range(100)], 360_000.0, UTC).split("\n")
    assert "… 60 more" in rows
    assert len(rows) == mailing.LINES + 5


def test_what_the_operator_is_told_names_the_chat() -> None:
    assert "-100 is a supergroup now, -1001" in mailing.moved("telegram:-100", -1001)
    assert "-100/5" in mailing.topicless("telegram:-100/5")
    assert "03:47" in mailing.probe("03:47")
