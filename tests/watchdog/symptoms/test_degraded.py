from __future__ import annotations

from tests.fakes.film import Film, bot, error
from watchdog.symptoms.degraded import repeated


def test_degraded_three_checks_in_a_row_confirms() -> None:
    film = Film().ok().degraded(2, reason="slow_db")
    assert film.names() == ()
    (symptom,) = film.degraded(reason="slow_db").symptoms()
    assert (symptom.name, symptom.text) == ("degraded", "degraded 3 times in a row: slow_db")
    assert film.ok().names() == ()


def test_its_number_is_configurable() -> None:
    assert Film(bot(thresholds={"degraded": 1})).degraded().names() == ("degraded",)


def test_answers_that_blame_declared_dependencies_or_apis_never_count() -> None:
    assert Film().degraded(20, excused=True).names() == ()
    assert Film().degraded(2).degraded(excused=True).degraded(2).names() == ()


def test_the_same_error_type_in_five_checks_in_a_row_confirms_whatever_the_status() -> None:
    film = Film().ok(4, errors=(error("ValueError", count_1h=3),))
    assert film.names() == ()
    (symptom,) = film.ok(errors=(error("Other"), error("ValueError", count_1h=3))).symptoms()
    assert (symptom.text, symptom.reason) == ("ValueError in 5 checks in a row", "ValueError")
    assert repeated(film.history) == {"ValueError"}
    assert film.ok().names() == ()


def test_changing_error_types_and_gaps_confirm_nothing() -> None:
    film = Film()
    for number in range(10):
        film.ok(errors=(error(f"Error{number % 2}"),))
    assert film.names() == ()
    errors = (error("ValueError"),)
    assert Film().ok(4, errors=errors).fails().ok(4, errors=errors).names() == ()


def test_errors_of_a_declared_api_are_judged_there() -> None:
    film = Film(bot(apis=("sheets",))).ok(20, errors=(error("HttpError", api="sheets"),))
    assert film.names() == ()
