from __future__ import annotations

from tests.fakes.film import Film
from watchdog.model.observation import Kind


def test_two_criticals_in_a_row_confirm_and_carry_the_reason() -> None:
    film = Film().ok().critical(reason="disk_full")
    assert film.names() == ()
    since = film.at
    (symptom,) = film.critical(reason="disk_full").symptoms()
    assert (symptom.since, symptom.reason, symptom.text) == (since, "disk_full", "critical twice: disk_full")
    assert not symptom.excused
    (symptom,) = film.critical(3, reason="disk_full").symptoms()
    assert symptom.text == "critical 5 times in a row: disk_full"


def test_a_good_answer_or_a_failing_one_between_them_confirms_nothing() -> None:
    assert Film().critical().ok().critical().names() == ()
    assert Film().critical().fails().critical().names() == ()


def test_a_proof_answer_confirms_nothing() -> None:
    assert Film().critical().see(Kind.CRITICAL, 3, counts=False).names() == ()


def test_it_is_excused_while_only_declared_dependencies_or_apis_are_blamed() -> None:
    (symptom,) = Film().critical(2, reason="postgres", excused=True).symptoms()
    assert symptom.excused
    (symptom,) = Film().critical(reason="postgres", excused=True).critical(reason="oops").symptoms()
    assert symptom.excused, "one own answer alone confirms nothing"
    (symptom,) = Film().critical(reason="postgres", excused=True).critical(2, reason="oops").symptoms()
    assert not symptom.excused


def test_without_a_reason_the_finding_is_told() -> None:
    (symptom,) = Film().critical(2, detail="HTTP 503").symptoms()
    assert (symptom.text, symptom.reason) == ("critical twice: HTTP 503", None)
    (symptom,) = Film().critical(2).symptoms()
    assert symptom.text == "critical twice"
