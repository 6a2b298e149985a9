"""Which symptom leads, and when an answer is worth another look."""

from __future__ import annotations

from math import inf

from tests.fakes.film import Film, bot
from watchdog.decisions.fleet import Card
from watchdog.decisions.lead import PATIENCE, lead, worth_a_look
from watchdog.decisions.situation import Parking, Pause
from watchdog.model.decision import Ruling, Step, Verdict


def card(film: Film) -> Card:
    return Card(film.service, film.history, None)


def leads(film: Film, of: Card | None = None) -> tuple[str, bool]:
    symptom, real = lead(of or card(film), film.at)
    return (symptom.name if symptom is not None else "", real)


def test_who_is_well_has_none() -> None:
    assert leads(Film().ok(3)) == ("", False)


def test_an_end_leads_before_silence() -> None:
    film = Film().ok(3).fails(4)
    assert leads(film) == ("unresponsive", True)
    assert leads(Film().starts().ok(3).fails(4).exits(1).wait(3)) == ("exited", True)


def test_while_its_supervisor_is_at_work_silence_alone_is_left() -> None:
    film = Film().starts().ok(3).exits(1, patience=inf).wait(3)
    assert leads(film) == ("", False)


def test_a_muted_one_is_named_and_not_confirmed() -> None:
    film = Film(bot(startup_grace=600.0)).starts().fails(4)
    assert leads(film) == ("unresponsive", False)


def test_an_end_is_never_muted() -> None:
    film = Film(bot(startup_grace=600.0)).starts().fails(4).exits(1).wait(3)
    assert leads(film) == ("exited", True)


def test_while_it_reconnects_only_what_does_not_come_from_health_is_real() -> None:
    silent = Film().starts().ok(3).fails(4)
    of = card(silent)
    of.reconnect = Pause("db is back", silent.at + 60)
    assert leads(silent, of) == ("unresponsive", False)
    dead = Film().starts().ok(3).fails(4).exits(1).wait(3)
    of = card(dead)
    of.reconnect = Pause("db is back", dead.at + 60)
    assert leads(dead, of) == ("exited", True)
    well = Film().ok(3)
    of = card(well)
    of.reconnect = Pause("db is back", well.at + 60)
    assert leads(well, of) == ("", False)


def test_an_attempt_on_a_parked_one_treats_what_can_be_treated() -> None:
    film = Film()
    for number in range(4):
        film.starts(f"{number}").wait(2).exits(1).wait(3)
    assert leads(film) == ("crash_loop", True)
    of = card(film)
    of.parking = Parking(film.at, 0, film.at + 3600)
    assert leads(film, of) == ("exited", True), "the person was asked already"


def test_an_answer_that_names_its_end_is_looked_at_then() -> None:
    assert worth_a_look(Ruling(Step.OPERATOR, Verdict.WAIT, "on hold", until=700.0), 100.0) == 700.0


def test_what_a_dependency_blocks_has_time() -> None:
    assert worth_a_look(Ruling(Step.ROOT, Verdict.WAIT, "blocked by db", by="db"), 100.0) == 100.0 + PATIENCE


def test_anything_else_is_looked_at_with_the_next_tick() -> None:
    assert worth_a_look(Ruling(Step.BUDGET, Verdict.ESCALATE, "used up", until=700.0), 100.0) == 100.0
    assert worth_a_look(Ruling(Step.OPERATOR, Verdict.WAIT, "stopped by hand"), 100.0) == 100.0
