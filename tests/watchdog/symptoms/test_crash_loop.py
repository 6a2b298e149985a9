from __future__ import annotations

from tests.fakes.film import Film


def dies(film: Film, times: int, every: float = 10.0, *, ours: bool = False) -> Film:
    for number in range(times):
        film.starts(f"{film.at}:{number}").wait(1).exits(1, ours=ours).wait(every - 1)
    return film


def test_more_than_three_exits_in_ten_minutes_need_a_person() -> None:
    film = dies(Film(), 3)
    assert "crash_loop" not in film.names()
    symptom = dies(film, 1).symptoms()[0]
    assert (symptom.name, symptom.person) == ("crash_loop", True)
    assert symptom.text == "4 exits in 30 s, the last: exited with code 1"


def test_stops_by_us_or_a_person_do_not_count() -> None:
    assert "crash_loop" not in dies(dies(Film(), 3), 5, ours=True).names()


def test_exits_spread_over_hours_are_no_loop() -> None:
    assert "crash_loop" not in dies(Film(), 20, every=201).names()


def test_a_start_does_not_clear_it_but_good_answers_do() -> None:
    film = dies(Film(), 4).starts("last")
    assert film.names() == ("crash_loop",)
    assert film.ok(1).names() == ("crash_loop",)
    assert film.ok(1).names() == ()


def test_a_clock_that_went_back_hides_no_exit_of_a_moment_ago() -> None:
    film = dies(Film(), 4)
    film.at -= 300
    assert "crash_loop" in film.names()
    film.at -= 7200
    assert "crash_loop" not in film.names(), "and does not keep it for hours"
