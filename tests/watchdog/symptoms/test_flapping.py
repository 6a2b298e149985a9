from __future__ import annotations

from tests.fakes.film import Film, bot
from watchdog.model.observation import Kind


def test_failing_every_other_check_is_flapping_though_no_four_fail_in_a_row() -> None:
    """F21."""
    film = Film().ok(3)
    for _ in range(4):
        film.fails().ok()
    assert film.names() == ()
    (symptom,) = film.fails().symptoms()
    assert symptom.name == "flapping"
    assert symptom.text == "flapping: 5 of the last 10 checks failed (5 timeouts)"


def test_two_good_answers_in_a_row_end_it_though_the_window_still_holds_it() -> None:
    film = Film().fails(2).ok().fails(2).ok().fails()
    assert film.names() == ("flapping",)
    assert film.ok().names() == ("flapping",), "one good answer does not end it"
    assert film.ok().names() == ()


def test_a_service_that_is_critical_in_between_is_flapping_too() -> None:
    film = Film()
    for _ in range(5):
        film.fails().critical()
    assert film.names() == ("flapping",)


def test_four_in_a_row_are_unresponsive_and_not_flapping() -> None:
    film = Film().fails().ok().fails(4)
    assert film.names() == ("unresponsive",)


def test_one_unbroken_row_is_never_flapping_however_patient_the_threshold() -> None:
    assert Film(bot(thresholds={"unresponsive": 20})).ok().fails(9).names() == ()
    assert Film(bot(thresholds={"unresponsive": "1h"})).ok().fails(9).names() == ()


def test_the_window_begins_with_the_last_start() -> None:
    film = Film().starts().ok()
    for _ in range(4):
        film.fails().ok()
    film.exits(ours=True).starts("new").wait(60)
    assert film.fails().ok().fails().names() == ()


def test_the_findings_are_told_by_number() -> None:
    film = Film().fails(2).ok().see(Kind.BAD_ANSWER, detail="HTTP 500").fails().ok().fails()
    (symptom,) = film.symptoms()
    assert symptom.text == "flapping: 5 of the last 7 checks failed (4 timeouts, HTTP 500)"
