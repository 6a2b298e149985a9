from __future__ import annotations

from tests.fakes.film import Film, bot
from watchdog.config.service import Swollen, Thresholds

MB = 1_000_000


def test_above_the_threshold_for_five_minutes_is_told_with_its_figures() -> None:
    film = Film().starts().uses(1, 100 * MB).ok(2).uses(1, 912 * MB).ok(9)
    assert film.names() == ()
    (symptom,) = film.ok().symptoms()
    assert (symptom.name, symptom.text) == ("memory", "memory 912 MB, above 800 MB for 5 min, from 100 MB 6 min ago")
    assert symptom.since == film.at - 300
    assert not symptom.from_health


def test_one_that_was_always_so_big_did_not_grow() -> None:
    (symptom,) = Film().starts().uses(1, 912 * MB).ok(10).symptoms()
    assert symptom.text == "memory 912 MB, above 800 MB for 5 min"


def test_a_moment_below_begins_anew_and_a_new_instance_is_innocent() -> None:
    film = Film().starts().uses(1, 900 * MB).ok(8).uses(1, 700 * MB).uses(1, 900 * MB).ok(9)
    assert film.names() == ()
    assert film.ok(2).names() == ("memory",)
    assert film.starts("2:2:boot").names() == ()
    assert film.measure().ok(9).names() == ()
    assert film.ok().names() == ("memory",)


def test_its_own_threshold_counts_and_none_is_none() -> None:
    tight = Film(bot(thresholds=Thresholds(memory=Swollen(above=50 * MB, for_=60.0)))).starts().uses(1, 60 * MB)
    assert tight.ok(2).names() == ("memory",)
    free = Film(bot(thresholds=Thresholds(memory=None))).starts().uses(1, 10**12)
    assert free.ok(60).names() == ()


def test_startup_grace_does_not_mute_it() -> None:
    film = Film(bot(startup_grace=3600.0)).starts().uses(1, 900 * MB)
    assert film.fails(11).names() == ("memory",)


def test_what_does_not_run_holds_nothing() -> None:
    film = Film().starts().uses(1, 900 * MB).ok(10)
    assert film.names() == ("memory",)
    film.exits()
    assert film.history.life.load.calm
