from __future__ import annotations

from tests.fakes.film import Film, bot
from watchdog.model.observation import Kind


def test_four_failing_checks_in_a_row_are_unresponsive() -> None:
    film = Film().ok(5).fails(3)
    assert film.names() == ()
    since = film.at - 60
    (symptom,) = film.fails().symptoms()
    assert (symptom.name, symptom.since, symptom.text) == ("unresponsive", since, "4 timeouts in a row")


def test_two_slow_polls_and_then_a_good_one_are_nothing() -> None:
    """D05."""
    assert Film().ok(5).fails(2).ok().names() == ()


def test_a_nightly_connection_reset_while_polling_goes_on_is_nothing() -> None:
    """D02: the log has lines, /health is ok."""
    assert Film().ok(20).names() == ()


def test_three_and_a_good_one_again_and_again_is_not_unresponsive() -> None:
    film = Film().ok(5)
    for _ in range(3):
        film.fails(3)
        assert "unresponsive" not in film.names()
        film.ok()


def test_a_threshold_given_as_a_time_counts_the_silence_that_was_seen() -> None:
    film = Film(bot(thresholds={"unresponsive": "2m"})).ok().fails(4)
    assert film.names() == ()
    assert film.wait(600).names() == (), "time in which nobody asked is no silence of the bot"
    film.wait(-600)
    assert film.fails().names() == ("unresponsive",)


def test_the_text_tells_what_came_after_what() -> None:
    (symptom,) = Film().fails(2).fails(2, detail="refused").symptoms()
    assert symptom.text == "4 checks without an answer: 2 timeouts, then 2 × refused"
    (symptom,) = Film().fails(2).fails(detail="refused").see(Kind.BAD_ANSWER, detail="HTTP 500").symptoms()
    assert symptom.text == "4 checks without a usable answer: 2 timeouts, then refused, then HTTP 500"


def test_a_longer_row_is_told_with_its_whole_number() -> None:
    (symptom,) = Film().fails(14).symptoms()
    assert symptom.text == "14 timeouts in a row"


def test_a_threshold_of_one_confirms_at_once() -> None:
    (symptom,) = Film(bot(thresholds={"unresponsive": 1})).fails(detail="refused").symptoms()
    assert symptom.text == "refused"
