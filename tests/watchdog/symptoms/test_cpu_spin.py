from __future__ import annotations

from tests.fakes.film import Film, bot
from watchdog.config.service import Spinning, Thresholds
from watchdog.model.observation import Kind


def spinning(**told: float) -> Film:
    """A bot that was at ease and then uses a whole core."""
    return Film().starts().uses(3).ok(4, **told).uses(99.8)


def test_full_cpu_without_progress_for_five_minutes_is_a_spin() -> None:
    film = spinning(progress=5512.0).ok(9, progress=5512.0)
    assert film.names() == ()
    (symptom,) = film.ok(2, progress=5512.0).symptoms()
    assert (symptom.name, symptom.text) == ("cpu_spin", "CPU 100 % of one core for 5 min 30 s without progress")
    assert not symptom.from_health


def test_a_counter_that_moves_is_work() -> None:
    film = spinning(progress=5512.0)
    for number in range(60):
        film.ok(progress=5512.0 + number / 10)
    assert film.names() == ()


def test_one_step_of_the_counter_begins_the_stretch_anew() -> None:
    film = spinning(progress=5512.0).ok(9, progress=5512.0).ok(9, progress=5513.0)
    assert film.names() == ()
    assert film.ok(3, progress=5513.0).names() == ("cpu_spin",)


def test_a_queue_that_falls_is_work_and_one_that_stands_or_grows_is_none() -> None:
    busy, stuck = spinning(progress=7.0, queue=900.0), spinning(progress=7.0, queue=9.0)
    for number in range(40):
        busy.ok(progress=7.0, queue=900.0 - number)
        stuck.ok(progress=7.0, queue=9.0 + number)
    assert busy.names() == ()
    assert "cpu_spin" in stuck.names()


def test_who_tells_no_counter_is_never_called_spinning_while_it_answers() -> None:
    assert spinning().ok(200).names() == ()
    assert spinning(queue=3.0).ok(20, queue=3.0).names() == ()


def test_the_age_of_the_progress_is_as_good_as_a_counter() -> None:
    assert spinning(progress_age_s=5.0).ok(20, progress_age_s=5.0).names() == ()
    film = spinning(progress_age_s=5.0).ok(12, progress_age_s=400.0)
    assert film.names() == ("cpu_spin",)
    both = spinning(progress=7.0).ok(20, progress=7.0, progress_age_s=10.0)
    assert both.names() == (), "it says itself that it has just done something"


def test_cpu_below_the_threshold_is_no_spin() -> None:
    film = spinning(progress=7.0).uses(90.0).ok(30, progress=7.0)
    assert film.names() == ()


def test_silence_is_no_flat_counter() -> None:
    film = spinning(progress=7.0).fails(3).see(Kind.UNKNOWN, 12)
    assert film.names() == ()


def test_a_silent_bot_with_full_cpu_over_its_failing_checks_is_a_spin_and_comes_before_unresponsive() -> None:
    film = spinning().ok().fails(3)
    assert film.names() == ()
    first, second = film.fails().symptoms()
    assert (first.name, second.name) == ("cpu_spin", "unresponsive")
    assert first.text == "CPU 100 % of one core, and 4 timeouts in a row"
    assert first.from_health


def test_a_silent_bot_that_was_at_ease_when_it_fell_silent_is_unresponsive_only() -> None:
    film = Film().starts().uses(3).ok(4).fails(3).uses(99.8).fails(4)
    assert film.names() == ("unresponsive",)


def test_a_minute_of_failing_checks_at_least_and_less_only_where_the_threshold_says_so() -> None:
    quick = Thresholds(cpu=Spinning(above=90.0, for_=20.0))
    for thresholds, names in ((Thresholds(), ("unresponsive",)), (quick, ("cpu_spin", "unresponsive"))):
        film = Film(bot(interval=10.0, timeout=5.0, thresholds=thresholds)).starts().uses(3).ok(4).uses(99.8).ok()
        assert film.fails(4).names() == names
    assert film.fails(4).names()[0] == "cpu_spin"


def test_startup_grace_mutes_it_for_a_start_may_compute() -> None:
    film = Film(bot(startup_grace=3600.0)).starts().uses(99.8)
    assert film.fails(20).names() == ()


def test_a_new_instance_begins_with_nothing() -> None:
    film = spinning(progress=7.0).ok(12, progress=7.0)
    assert film.names() == ("cpu_spin",)
    film.starts("2:2:boot").measure().ok(9, progress=7.0)
    assert film.names() == ()


def test_no_threshold_no_spin() -> None:
    film = Film(bot(thresholds=Thresholds(cpu=None))).starts().uses(400).ok(4, progress=7.0)
    assert film.ok(40, progress=7.0).names() == ()
    assert film.fails(8).names() == ("unresponsive",)
