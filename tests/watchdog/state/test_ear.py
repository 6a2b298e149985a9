"""Which events of an engine are news."""

from __future__ import annotations

from watchdog.model.container import Act, Happening
from watchdog.state.ear import OVERLAP, REMEMBERED, Ear

NOW = 1_772_390_400_000_000_000


def said(nano: int, act: Act = Act.DIE, container: str = "c1") -> Happening:
    return Happening(nano / 1e9, nano, act, container, "bot")


def test_each_event_is_news_once() -> None:
    ear = Ear(NOW)
    assert ear.is_new(said(NOW + 5))
    assert not ear.is_new(said(NOW + 5))
    assert ear.seen == NOW + 5


def test_two_events_of_one_moment_are_two() -> None:
    """`start` and `restart` bear the same time stamp."""
    ear = Ear(NOW)
    assert ear.is_new(said(NOW + 5, Act.START))
    assert ear.is_new(said(NOW + 5, Act.RESTART))
    assert ear.is_new(said(NOW + 5, Act.START, "c2"))


def test_what_an_earlier_life_took_is_no_news() -> None:
    ear = Ear(NOW, before=NOW)
    assert not ear.is_new(said(NOW))
    assert not ear.is_new(said(NOW - 100)), "a moment in seconds is not as exact as the stamp"
    assert ear.is_new(said(NOW + 1))


def test_after_the_clock_was_set_back_older_stamps_are_news() -> None:
    ear = Ear(NOW, before=NOW)
    assert ear.is_new(said(NOW + 7))
    back = NOW - 3 * 3600 * 1_000_000_000
    assert ear.is_new(said(back))
    assert ear.seen == back, "a cut stream goes on from there"
    assert ear.is_new(said(NOW - OVERLAP))


def test_more_is_remembered_than_an_engine_can_repeat_and_not_everything() -> None:
    ear = Ear(NOW)
    for number in range(REMEMBERED + 1):
        ear.is_new(said(NOW + number))
    assert len(ear.taken) == REMEMBERED
    assert not any(ear.is_new(said(NOW + number)) for number in range(REMEMBERED - 255, REMEMBERED + 1))
