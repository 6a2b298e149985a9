from __future__ import annotations

from tests.fakes.film import Film, answer
from watchdog.model.observation import Kind
from watchdog.model.service import State
from watchdog.state.life import UNSEEN
from watchdog.state.visible import Seen, change, show


def test_the_reason_the_bot_gives_is_shown_before_the_finding() -> None:
    seen = show(Seen(State.OK, 1.0), UNSEEN, answer(2.0, Kind.CRITICAL, "HTTP 503", reason="disk_full"))
    assert seen == Seen(State.CRITICAL, 2.0, "disk_full")


def test_a_remark_is_shown_with_ok_and_an_unchanged_answer_makes_no_new_value() -> None:
    film = Film().ok(remark="form unknown")
    assert film.history.reason == "form unknown"
    before = film.history.seen
    assert film.ok(remark="form unknown").history.seen is before


def test_a_state_never_begins_before_the_one_it_follows() -> None:
    assert change(Seen(State.OK, 100.0), State.DOWN, 50.0, "").since == 100.0
