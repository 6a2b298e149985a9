"""The strip of each bot: one block a second."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.performance import T, doc, morning
from watchdog.demo.scene import SECONDS, Tale
from watchdog.demo.seen import Seen


def at(seconds: float, state: str) -> Seen:
    seen = morning()
    return replace(seen, at=T + seconds, services={**seen.services, "faq-bot": doc("faq-bot", state)})


def test_a_second_shows_the_worst_that_it_held() -> None:
    tale = Tale((), T)
    for seconds, state in ((0.1, "ok"), (0.3, "failing"), (0.5, "ok"), (1.1, "ok"), (1.4, "degraded"), (1.6, "starting")):
        tale.sample(at(seconds, state))
    assert list(tale.strips["faq-bot"]) == ["failing", "degraded"]


def test_a_bot_that_never_started_is_not_bad() -> None:
    tale = Tale((), T)
    tale.sample(replace(at(0, "down"), starts={}))
    assert list(tale.strips["faq-bot"]) == ["unknown"]


def test_only_the_last_seconds_are_kept() -> None:
    tale = Tale((), T)
    for seconds in range(SECONDS + 5):
        tale.sample(at(seconds, "ok"))
    assert len(tale.strips["faq-bot"]) == SECONDS
