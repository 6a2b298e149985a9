from __future__ import annotations

from pathlib import Path

from tests.fakes.film import Film, error
from watchdog import symptoms
from watchdog.model.observation import Kind
from watchdog.symptoms.diagnose import DETECTORS

BESIDE = {"__init__", "diagnose", "good", "overload"}


def test_every_detector_of_the_room_is_used_and_no_other() -> None:
    files = {path.stem for path in Path(next(iter(symptoms.__path__))).glob("*.py")} - BESIDE
    assert files == {name for name, _ in DETECTORS}


def test_the_first_of_several_is_the_one_to_be_treated() -> None:
    film = Film().starts().ok().exits(1).fails(4, detail="refused")
    assert film.names() == ("exited", "unresponsive")


def test_grace_mutes_what_comes_from_health_and_nothing_else() -> None:
    film = Film()
    for number in range(4):
        film.starts(f"{number}").wait(1).exits(1).wait(1)
    film.starts("last")
    film.see(Kind.NO_ANSWER, 1)
    assert film.names() == ("crash_loop",)


def test_a_healthy_service_has_no_symptom() -> None:
    assert Film().starts().ok(50).symptoms() == ()
    assert Film().symptoms() == ()


def test_codes_of_its_errors_and_of_http_go_with_the_symptom() -> None:
    (symptom,) = Film().critical(2, code=503, errors=(error("Stream", code="515"), error("Old", code="7", count_1h=0))).symptoms()
    assert symptom.codes == {"503", "515"}
    (symptom,) = Film().critical(2, code=200).symptoms()
    assert symptom.codes == frozenset()
