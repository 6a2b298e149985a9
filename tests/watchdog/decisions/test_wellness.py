"""Is this service fit to be depended on? One failed check is enough to say no (SPEC 5, step 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from recovery.model import Effect, Run
from tests.builders import BOOKS
from tests.fakes.film import Film, bot
from watchdog.decisions.fleet import Active, Card
from watchdog.decisions.leash import Leash
from watchdog.decisions.situation import Parking
from watchdog.decisions.wellness import wellness
from watchdog.model.observation import Kind
from watchdog.model.records import Hold

RUN = Run(1, "bot", "start-exited", 1, 0.0, Effect.RESTART)


def card(film: Film) -> Card:
    return Card(film.service, film.history, None)


def well(film: Film) -> tuple[bool | None, str]:
    return wellness(card(film), film.at)


def test_of_whom_nobody_asked_nothing_is_known() -> None:
    assert well(Film()) == (None, "not asked yet")


def test_a_good_answer_is_fit_and_says_how_quick_it_was() -> None:
    assert well(Film().ok(latency=0.0123)) == (True, "is ok, answered in 12 ms")
    assert well(Film().degraded(latency=0.0001)) == (True, "is degraded, answered in 1 ms")


def test_one_failing_check_is_enough() -> None:
    assert well(Film().ok(10).fails(detail="refused")) == (False, "does not answer (refused)")


def test_critical_is_unfit_with_its_reason() -> None:
    assert well(Film().ok().critical(reason="disk_full")) == (False, "critical (disk_full)")
    assert well(Film().ok().critical()) == (False, "critical (no reason given)")


def test_who_starts_is_not_fit_yet() -> None:
    assert well(Film().ok().see(Kind.STARTING)) == (False, "is starting")
    assert well(Film(bot(startup_grace=60.0)).starts().see(Kind.MISCONFIGURED)) == (False, "is starting")


def test_who_does_not_run_is_unfit_whatever_the_last_answer_was() -> None:
    assert well(Film().starts().ok().exits(1)) == (False, "is not running")


@pytest.mark.parametrize(
    ("hinder", "why"),
    [
        (lambda c: replace_(c, hold=Hold("bot", 0.0, 1e12, "anna", stop=True)), "is stopped on purpose"),
        (lambda c: replace_(c, active=Active(RUN, BOOKS["start-exited"], Leash())), "is being healed"),
        (lambda c: replace_(c, parking=Parking(0.0)), "is parked"),
    ],
)
def test_who_is_healed_parked_or_stopped_is_unfit(hinder: Callable[[Card], Card], why: str) -> None:
    film = Film().ok()
    assert wellness(hinder(card(film)), film.at) == (False, why)


def test_a_hold_alone_makes_nobody_unfit() -> None:
    film = Film().ok()
    held = replace_(card(film), hold=Hold("bot", 0.0, 1e12, "anna"))
    assert wellness(held, film.at)[0] is True


def replace_(each: Card, **more: object) -> Card:
    return replace(each, **more)  # type: ignore[arg-type]
