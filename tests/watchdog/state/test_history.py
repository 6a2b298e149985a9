from __future__ import annotations

import time
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.film import Film, answer, bot
from watchdog.model.observation import ErrorCount, Kind, Observation, Report
from watchdog.model.service import State
from watchdog.state.history import begin, ended, fold, fresh, given_back, left, muted, seen_running, segment_changed, started
from watchdog.symptoms.diagnose import diagnose


def test_a_service_nobody_has_asked_is_unknown_and_says_so() -> None:
    film = Film()
    assert (film.history.state, film.history.reason) == (State.UNKNOWN, "never asked")


def test_it_is_seen_failing_after_the_first_failing_check_and_ok_after_the_first_good_one() -> None:
    film = Film().ok(3)
    assert film.history.state is State.OK
    film.fails()
    assert (film.history.state, film.history.reason, film.history.since) == (State.FAILING, "timeout", film.at)
    since = film.at
    film.fails(detail="refused")
    assert (film.history.reason, film.history.since) == ("refused", since)
    assert film.ok().history.state is State.OK


@pytest.mark.parametrize("kind", [Kind.UNKNOWN, Kind.MISCONFIGURED, Kind.STARTING])
def test_answers_that_count_neither_way_keep_the_row_of_failing_checks(kind: Kind) -> None:
    film = Film().ok().fails(3)
    film.see(kind)
    assert film.history.streaks.failing == 3
    assert film.names() == ()
    film.fails()
    assert film.names() == ("unresponsive",)


def test_what_could_not_be_asked_is_shown_with_its_reason() -> None:
    film = Film().ok().see(Kind.UNKNOWN, detail="our own network is down")
    assert (film.history.state, film.history.reason) == (State.UNKNOWN, "could not ask: our own network is down")
    assert film.history.good == 1


def test_three_misconfigured_answers_in_a_row_are_counted_whatever_could_not_be_asked_between_them() -> None:
    film = Film().see(Kind.MISCONFIGURED, 2, detail="HTTP 404").see(Kind.UNKNOWN).see(Kind.MISCONFIGURED, detail="HTTP 404")
    assert film.history.streaks.misconfigured == 3
    assert film.history.reason == "misconfigured: HTTP 404"
    assert film.ok().history.streaks.misconfigured == 0


def test_after_more_than_three_intervals_without_a_check_counts_start_from_zero() -> None:
    film = Film().ok().fails(3)
    film.wait(90)
    assert film.fails().history.streaks.failing == 1

    film = Film().ok().fails(3)
    film.wait(60)
    assert film.fails().history.streaks.failing == 4


def test_what_could_not_be_asked_for_long_is_no_check_and_counts_start_from_zero() -> None:
    film = Film().fails(3).see(Kind.UNKNOWN, 5)
    assert film.fails().history.streaks.failing == 1


def test_starting_is_believed_for_ten_minutes_and_then_its_code_speaks() -> None:
    film = Film().see(Kind.STARTING, 20, code=503)
    assert (film.history.state, film.history.streaks.critical) == (State.STARTING, 0)
    film.see(Kind.STARTING, code=503)
    assert (film.history.state, film.history.streaks.critical) == (State.CRITICAL, 1)
    film.see(Kind.STARTING, code=503)
    assert film.history.streaks.critical == 2, "it stays as its code says until it answers something else"

    film = Film().see(Kind.STARTING, 21, code=200)
    assert (film.history.state, film.history.good) == (State.OK, 1)
    film.ok().see(Kind.STARTING, code=200)
    assert (film.history.state, film.history.good) == (State.STARTING, 2), "after a real answer it is believed anew"

    film = Film().see(Kind.STARTING, 30)
    assert (film.history.state, film.history.good) == (State.STARTING, 0), "without a code there is nothing else to go by"


def test_a_start_begins_the_windows_anew_but_not_those_of_exits() -> None:
    film = Film().starts("1:1:boot").ok().fails(3).exits(1).starts("2:2:boot")
    streaks = film.history.streaks
    assert (streaks.failing, streaks.window, len(film.history.life.exits)) == (0, 0, 1)
    assert (film.history.state, film.history.running, film.history.instance) == (State.STARTING, True, "2:2:boot")
    assert len(film.history.checks) == 4, "people still see what was before"


def test_startup_grace_mutes_until_the_first_good_answer_or_its_end() -> None:
    film = Film(bot(interval=5, startup_grace=60)).starts()
    film.fails(4, detail="refused")
    assert muted(film.history, film.at)
    assert (film.history.state, film.history.reason) == (State.STARTING, "refused, in its startup grace")
    assert film.names() == ()
    film.degraded()
    assert not muted(film.history, film.at)
    assert film.fails(4).names() == ("unresponsive",)

    film = Film(bot(interval=5, startup_grace=60)).starts().fails(11)
    assert film.names() == ()
    assert film.fails().names() == ("unresponsive",), "at its end the row that began with the start is seen"


def test_an_answer_that_was_known_before_the_start_does_not_end_its_grace() -> None:
    history = started(begin("bot", 0.0), 100.0, "i", 30.0)
    history = fold(history, answer(100.0), bot())
    assert muted(history, 101.0)


def test_a_second_start_inside_a_grace_begins_no_new_one() -> None:
    history = started(begin("bot", 0.0), 100.0, "first", 30.0)
    history = started(history, 120.0, "second", 30.0)
    assert muted(history, 129.9)
    assert not muted(history, 130.0)
    history = started(history, 131.0, "third", 30.0)
    assert muted(history, 160.0)


def test_a_clock_that_went_back_does_not_make_a_grace_longer() -> None:
    history = started(begin("bot", 0.0), 10_000.0, "i", 30.0)
    assert muted(history, 9_999.0)
    assert not muted(history, 9_000.0)


def test_a_bot_that_boots_slowly_is_not_ill_while_it_boots() -> None:
    """P1: 95 s to boot, asked each 30 s, 3 failing checks allowed."""
    film = Film(bot(thresholds={"unresponsive": 3}, startup_grace=120)).ok(5).fails(3)
    assert film.names() == ("unresponsive",)
    film.exits(-15, ours=True).wait(1).starts("new")
    assert film.fails(3, detail="refused").names() == ()
    assert film.ok().names() == ()


def test_proof_answers_are_seen_but_advance_no_count() -> None:
    film = Film().ok().fails(3)
    film.see(Kind.NO_ANSWER, 5, detail="refused", counts=False)
    assert film.history.streaks.failing == 3
    assert film.history.reason == "refused"
    assert len(film.history.checks) == 4
    film.see(Kind.OK, 2, counts=False)
    assert (film.history.state, film.history.good, film.history.streaks.failing) == (State.OK, 2, 3)


def test_a_good_proof_answer_ends_startup_grace() -> None:
    film = Film().starts()
    film.history = fold(film.history, answer(film.at + 5), film.service, counts=False)
    assert not muted(film.history, film.at + 6)


def test_an_exit_is_seen_once_and_keeps_it_down_until_it_answers_well() -> None:
    film = Film().starts().ok(2).exits(3)
    assert (film.history.state, film.history.reason, film.history.good) == (State.DOWN, "exited with code 3", 0)
    film.wait(1).exits(3)
    assert len(film.history.life.exits) == 1
    film.fails(2, detail="refused")
    assert film.history.state is State.DOWN
    assert film.ok().history.state is State.OK


def test_an_answer_that_was_under_way_at_the_exit_does_not_bring_it_back() -> None:
    film = Film().starts().ok(2).exits(3)
    film.history = fold(film.history, answer(film.at - 0.01), film.service)
    assert film.history.state is State.DOWN


def test_what_was_never_seen_to_run_is_down_without_an_exit() -> None:
    history = ended(begin("bot", 0.0), 5.0, None, False)
    assert (history.state, history.life.exits, history.life.down_since) == (State.DOWN, (), 5.0)


def test_a_first_look_at_what_runs_is_no_start() -> None:
    history = seen_running(begin("bot", 0.0), 5.0, "7:7:boot")
    assert (history.running, history.instance, muted(history, 5.0)) == (True, "7:7:boot", False)
    assert seen_running(history, 9.0, "7:7:boot") is history
    history = seen_running(ended(history, 10.0, None, False), 11.0, "7:7:boot")
    assert (history.running, history.state) == (True, State.UNKNOWN)


def test_fresh_counts_after_a_hold_come_with_startup_grace_and_after_reconnecting_without() -> None:
    film = Film().ok().fails(6)
    anew = fresh(film.history, film.at)
    assert (anew.streaks.failing, muted(anew, film.at)) == (0, False)
    assert muted(fresh(film.history, film.at, 30.0), film.at + 29)


def test_a_change_of_the_visible_state_closes_a_segment_and_opens_the_next() -> None:
    film = Film().ok()
    before = film.history
    assert segment_changed(before, film.ok().history) == ()
    before = film.history
    closed, opened = segment_changed(before, film.fails().history)
    assert (closed.state, closed.since, closed.until) == (State.OK, before.since, film.at)
    assert (opened.state, opened.since, opened.until, opened.reason) == (State.FAILING, film.at, None, "timeout")
    before = film.history
    assert segment_changed(before, film.fails(detail="refused").history) == ()


def test_only_the_last_ten_checks_are_kept() -> None:
    film = Film().ok(30)
    assert len(film.history.checks) == 10
    assert film.history.checks[-1].at == film.at


def test_a_clock_that_steps_by_hours_confirms_nothing() -> None:
    """F07: forward, counts begin anew; back, nothing becomes negative and no segment ends before it began."""
    film = Film().ok(3).fails(3)
    film.wait(3 * 3600).fails()
    assert film.names() == ()
    film.wait(-6 * 3600)
    before = film.history
    closed, opened = segment_changed(before, film.ok().history)
    assert closed.until is not None
    assert closed.until >= closed.since
    assert opened.since >= closed.since
    assert film.names() == ()


texts = st.sampled_from(["", "timeout", "refused", "HTTP 500", "x" * 300, "a\nb"])
numbers = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False, width=32))
errors = st.builds(
    ErrorCount, type=texts, api=st.sampled_from([None, "sheets"]), count_1h=numbers, code=st.sampled_from([None, "515"])
)
reports = st.builds(
    Report,
    reason=st.one_of(st.none(), texts),
    progress=numbers,
    queue=numbers,
    errors=st.lists(errors, max_size=3).map(tuple),
)
observations = st.builds(
    Observation,
    at=st.floats(min_value=-1e10, max_value=1e11),
    kind=st.sampled_from(Kind),
    detail=texts,
    latency=st.one_of(st.none(), st.floats(min_value=0, max_value=1e6)),
    code=st.sampled_from([None, 200, 404, 500, 503]),
    report=st.one_of(st.none(), reports),
    remark=texts,
    excused=st.booleans(),
)


@given(st.lists(st.tuples(observations, st.booleans(), st.sampled_from(["fold", "start", "end", "run", "fresh"])), max_size=40))
def test_the_fold_is_total_and_no_count_is_ever_negative(acts: list[tuple[Observation, bool, str]]) -> None:
    service, history = bot(), begin("bot", 0.0)
    for seen, counts, act in acts:
        if act == "fold":
            history = fold(history, seen, service, counts=counts)
        elif act == "start":
            history = started(history, seen.at, seen.detail, 30.0)
        elif act == "end":
            history = ended(history, seen.at, seen.code, counts)
        elif act == "run":
            history = seen_running(history, seen.at, seen.detail)
        else:
            history = fresh(history, seen.at)
        diagnose(history, service, seen.at)
        numbers = [getattr(history.streaks, field.name) for field in fields(history.streaks)]
        assert all(number >= 0 for number in numbers if isinstance(number, int))
        assert history.good >= 0
        assert len(history.checks) <= 10
        assert history.streaks.window <= len(history.checks)


def test_a_healthy_answer_after_a_healthy_one_costs_microseconds() -> None:
    """A wide limit, so that a busy machine does not fail it; it is about 3 us."""
    service, history = bot(), begin("bot", 0.0)
    answers = [answer(30.0 * n, latency=0.001) for n in range(5000)]
    begun = time.perf_counter()
    for seen in answers:
        history = fold(history, seen, service)
    assert (time.perf_counter() - begun) / len(answers) < 40e-6


# --- what somebody took away ------------------------------------------------------------------------------------------

WORDS = "stopped by hand (docker stop)"


def test_what_somebody_left_at_rest_is_stopped_from_that_moment_in_their_words() -> None:
    film = Film().starts().ok(3).exits(0)
    history = left(film.history, film.at + 0.01, WORDS)
    assert (history.state, history.since, history.reason) == (State.STOPPED, film.at + 0.01, WORDS)
    film.history = history
    assert (film.fails(5, detail="refused").history.seen) == history.seen
    assert film.exits(1, patience=30.0).history.seen == history.seen


def test_a_paused_one_that_ends_is_still_theirs() -> None:
    film = Film().starts().ok(3)
    film.history = left(film.history, film.at, "paused by hand (docker pause)")
    assert film.fails(3).exits(137).history.state is State.STOPPED


def test_a_good_answer_speaks_louder() -> None:
    film = Film().starts().ok(3)
    film.history = left(film.history, film.at, WORDS)
    assert film.ok().history.state is State.OK
    assert film.fails().history.state is State.STOPPED


def test_given_back_it_begins_with_grace_and_fresh_counts_and_was_not_down_for_long() -> None:
    film = Film().starts().ok(3).fails(3).exits(0)
    film.history = left(film.history, film.at, WORDS)
    film.wait(3600)
    film.history = given_back(film.history, film.at, 30.0)
    assert (film.history.state, film.history.reason) == (State.STARTING, "runs again, not asked yet")
    assert film.history.streaks.failing == 0
    assert muted(film.history, film.at + 29)
    assert film.wait(60).names() == (), "nobody has looked yet"
    assert film.exits(1).wait(2.1).names() == ("exited",), "it is seen to be down, and not for an hour"
    assert "down for 2 s" in film.symptoms()[0].text


def test_given_back_while_it_answers_changes_nothing_that_is_seen() -> None:
    film = Film().starts().ok(3)
    assert given_back(film.history, film.at, 30.0).seen == film.history.seen
    assert given_back(film.history, film.at, 30.0).life.down_since is None


def test_the_same_instance_seen_again_is_still_stopped_by_them() -> None:
    film = Film().starts("one").ok(3)
    film.history = left(film.history, film.at, "paused by hand (docker pause)")
    assert seen_running(film.history, film.at, "one").state is State.STOPPED
    assert seen_running(film.history, film.at, "two").state is State.STOPPED
