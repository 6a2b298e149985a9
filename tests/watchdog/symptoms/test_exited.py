from __future__ import annotations

from math import inf

from tests.fakes.film import Film, bot


def test_an_exit_confirms_two_seconds_after_it_was_seen() -> None:
    film = Film().starts().ok(3).exits(1).wait(1.9)
    assert film.names() == ()
    (symptom,) = film.wait(0.2).symptoms()
    assert (symptom.name, symptom.text) == ("exited", "exited with code 1, down for 2 s")
    assert not symptom.person


def test_killed_by_hand_is_told_with_the_signal() -> None:
    (symptom,) = Film().starts().exits(-9).wait(12).symptoms()
    assert symptom.text == "killed by SIGKILL, down for 12 s"


def test_startup_grace_never_mutes_it() -> None:
    assert Film().starts().exits(1).wait(3).names() == ("exited",)


def test_what_runs_again_has_not_exited() -> None:
    assert Film().starts().exits(1).wait(1).starts("new").wait(60).names() == ()


def test_a_service_without_runtime_never_exits() -> None:
    assert Film(bot(runtime=None)).ok().names() == ()


def test_what_we_stopped_and_left_down_is_named_as_such() -> None:
    (symptom,) = Film().starts().exits(-15, ours=True).wait(5).symptoms()
    assert symptom.text == "stopped by us, down for 5 s"


def test_what_was_never_seen_to_run_is_not_running() -> None:
    (symptom,) = Film().exits().wait(5).symptoms()
    assert symptom.text == "not running, down for 5 s"


def test_a_supervisor_has_its_time_before_it_counts_as_exited() -> None:
    film = Film().starts().ok(3).exits(1, patience=30.0)
    assert film.wait(29.9).names() == ()
    assert film.wait(0.2).names() == ("exited",)


def test_while_its_supervisor_is_at_work_on_it_it_has_not_exited_at_all() -> None:
    film = Film().starts().ok(3).exits(1, patience=inf).wait(86_400)
    assert film.names() == ()
    assert film.exits(1, patience=30.0).names() == ("exited",), "it gave up; its time is long over"


def test_patience_is_counted_from_the_end_and_not_from_the_look() -> None:
    film = Film().starts().exits(1, patience=inf).wait(20).exits(1, patience=30.0)
    assert len(film.history.life.exits) == 1
    assert film.wait(9.9).names() == ()
    assert film.wait(0.2).names() == ("exited",)
