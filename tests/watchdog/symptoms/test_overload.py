from __future__ import annotations

from tests.fakes.film import Film
from watchdog.symptoms.overload import lasts, overloaded

MB = 1_000_000


def test_memory_comes_before_cpu() -> None:
    film = Film().starts().uses(3).ok(4, progress=7.0)
    assert overloaded(film.history, film.service, film.at) is None
    film.uses(99, 900 * MB).ok(12, progress=7.0)
    found = overloaded(film.history, film.service, film.at)
    assert found is not None
    assert found.name == "memory"
    assert film.names() == ("memory", "cpu_spin")


def test_the_symptom_of_an_incident_lasts_until_it_is_measured_to_be_over() -> None:
    film = Film().starts().uses(3, 900 * MB).ok(11)
    assert lasts("memory", film.history, film.service, film.at)
    assert not lasts("cpu_spin", film.history, film.service, film.at)
    film.uses(3, 100 * MB)
    assert not lasts("memory", film.history, film.service, film.at)


def test_other_symptoms_are_judged_by_answers_alone() -> None:
    film = Film().starts().uses(99, 900 * MB).fails(12)
    for name in (None, "unresponsive", "critical"):
        assert not lasts(name, film.history, film.service, film.at)
