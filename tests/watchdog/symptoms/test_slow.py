from __future__ import annotations

from tests.fakes.film import Film


def test_answers_ten_times_slower_than_usual_for_five_minutes_are_slow() -> None:
    film = Film().ok(30, latency=0.15).ok(10, latency=2.0)
    assert film.names() == ()
    (symptom,) = film.ok(latency=4.2).symptoms()
    assert symptom.name == "slow"
    assert symptom.text.startswith("answers take 4 s, usually ")
    assert symptom.text.endswith(", for 5 min")
    assert film.ok(latency=0.2).names() == ()


def test_an_answer_within_a_second_is_never_slow() -> None:
    assert Film().ok(30, latency=0.001).ok(20, latency=0.9).names() == ()


def test_nothing_is_slow_before_something_is_usual() -> None:
    assert Film().ok(3, latency=0.001).ok(16, latency=5.0).names() == ()


def test_progress_below_a_tenth_of_its_usual_rate_is_slow() -> None:
    film, counter = Film(), 0.0
    for _ in range(200):
        counter += 60
        film.ok(progress=counter)
    film.ok(60, progress=counter)
    (symptom,) = film.symptoms()
    assert symptom.text.startswith("progress ")
    assert "usually " in symptom.text


def test_a_queue_that_grew_for_fifteen_minutes_is_slow_when_it_goes_on() -> None:
    film = Film()
    for length in range(3, 38):
        film.ok(queue=length)
    assert film.names() == ()
    for length in range(38, 46):
        film.ok(queue=length)
    (symptom,) = film.symptoms()
    assert symptom.text == "queue grew from 3 to 45 in 21 min, for 6 min"
    assert film.ok(queue=2).names() == ()


def test_a_queue_that_stands_still_does_not_grow() -> None:
    assert Film().ok(60, queue=5).ok(queue=6).ok(10, queue=7).names() == ()


def test_it_is_told_last_and_silence_of_ours_is_not_slow() -> None:
    film = Film().ok(30, latency=0.15).ok(5, latency=2.0).wait(3600)
    assert film.names() == ()
