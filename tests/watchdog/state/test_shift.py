"""After the wall clock was set every moment lies as far back, or ahead, as before."""

from __future__ import annotations

from tests.fakes.film import Film
from watchdog.state.history import muted
from watchdog.state.shift import shifted
from watchdog.symptoms.diagnose import diagnose

HOUR = 3600.0


def test_counts_and_their_symptom_are_the_same_an_hour_on() -> None:
    film = Film().ok().fails(4)
    (before,) = diagnose(film.history, film.service, film.at)
    (after,) = diagnose(shifted(film.history, HOUR), film.service, film.at + HOUR)

    assert (before.name, after.name, after.text) == ("unresponsive", "unresponsive", before.text)
    assert after.since == before.since + HOUR


def test_grace_and_exits_move_too_and_the_visible_segment_stays() -> None:
    film = Film().starts("1:1:boot").wait(2).exits().wait(2).starts("2:2:boot")
    moved = shifted(film.history, -HOUR)

    assert muted(moved, film.at + 10 - HOUR)
    assert not muted(moved, film.at + 31 - HOUR)
    assert [end.at for end in moved.life.exits] == [film.at - 2 - HOUR]
    assert moved.seen == film.history.seen


def test_nothing_moves_where_nothing_was() -> None:
    film = Film()
    assert shifted(film.history, HOUR) == film.history


def test_rates_go_on_and_the_growth_of_a_queue_is_watched_anew() -> None:
    film = Film().ok(3, progress=5.0, queue=3.0)
    moved = shifted(film.history, HOUR)

    assert film.history.pace.counter is not None
    assert moved.pace.counter is not None
    assert moved.pace.counter.at == film.history.pace.counter.at + HOUR
    assert moved.pace.queue is None


def test_a_load_lies_as_far_back_as_before_and_is_still_too_much() -> None:
    film = Film().starts().uses(3, 900_000_000).ok(11)
    moved, load = shifted(film.history, -HOUR), film.history.life.load

    assert [symptom.name for symptom in diagnose(moved, film.service, film.at - HOUR)] == ["memory"]
    assert (moved.life.load.at, moved.life.load.memory_since) == (load.at - HOUR, film.at - 330 - HOUR)
    assert moved.life.load.curve[0] == (load.curve[0][0] - HOUR, 900_000_000)
