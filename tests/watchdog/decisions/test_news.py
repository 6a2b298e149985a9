"""One that came back is news only when it is worse than what was told, or stays."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.records import incident
from watchdog.decisions.news import FLAP, HOUR, News
from watchdog.model.incident import Incident, Tier

FIRST = replace(incident(7), tier=Tier.CRITICAL)


def again(tier: Tier = Tier.CRITICAL, at: float = 100.0, *, acked: bool = False) -> Incident:
    return replace(FIRST, tier=tier, relapses=1, reopened_at=at, acked=acked)


def test_the_first_word_and_every_rise_are_news() -> None:
    news = News()
    assert news.is_new(replace(FIRST, tier=Tier.SOFT), 0.0)
    assert news.is_new(FIRST, 10.0)
    assert News().is_new(again(), 10.0), "nothing was told of it yet"


def test_one_that_comes_back_to_what_was_told_is_none_until_it_stays() -> None:
    news = News()
    news.is_new(FIRST, 0.0)
    news.over(7, 50.0)
    assert not news.is_new(again(Tier.SOFT), 160.0)
    assert not news.is_new(again(), 160.0)
    assert not news.due(again(), 900.0, 999.0)
    assert news.due(again(), 900.0, 1000.0)
    assert news.is_new(again(), 1000.0), "it has stayed bad for as long as a page takes"
    assert news.owed_at(again(), 900.0) is None


def test_nothing_is_owed_for_what_is_over_or_seen() -> None:
    news = News()
    news.is_new(FIRST, 0.0)
    news.over(7, 50.0)
    news.is_new(again(), 160.0)
    assert news.owed_at(again(acked=True), 900.0) is None
    news.over(7, 200.0)
    assert not news.due(again(), 900.0, 5000.0)


def test_after_an_hour_it_is_news_again() -> None:
    news = News()
    news.told(7, Tier.CRITICAL, 0.0)
    news.over(7, 50.0)
    assert news.is_new(again(), HOUR)


def test_minutes_later_it_is_another_story() -> None:
    news = News()
    news.told(7, Tier.CRITICAL, 0.0)
    news.over(7, 50.0)
    assert news.is_new(again(at=50.0 + FLAP), 400.0)
