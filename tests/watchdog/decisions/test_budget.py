from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recovery.model import Effect, Playbook, Run, RunOutcome, StepRecord, Verify, When
from watchdog.config.fields import Budget
from watchdog.config.schema import Guards
from watchdog.decisions.budget import cooldown_until, gentle_free_at, may_wake, rearm_delay, spent

GUARDS = Guards()
NOW = 1_000_000.0
BOOK = Playbook("restart", "", When(()), (), Verify())


def run(ago: float, **more: Any) -> Run:
    return replace(Run(1, "bot", "restart", 1, NOW - ago, Effect.RESTART), **more)


def test_three_runs_in_a_sliding_hour_are_the_budget_healed_or_not() -> None:
    """F32."""
    runs = [run(3000, outcome=RunOutcome.HEALED), run(1000, outcome=RunOutcome.FAILED), run(10)]
    used = spent(runs, GUARDS, NOW)
    assert (used.count, used.of, used.left, used.free_at) == (3, 3, 0, NOW + 600)
    assert used.words == "3 of 3 this hour"
    used = spent(runs, GUARDS, NOW + 600)
    assert (used.count, used.free_at) == (2, None)


def test_refunded_gentle_uncharged_and_harmless_runs_cost_nothing() -> None:
    runs = [
        run(10, refunded=True),
        run(10, gentle=True),
        run(10, charged=False),
        run(10, effect=Effect.RELOAD),
        run(10, effect=Effect.NONE),
    ]
    assert spent(runs, GUARDS, NOW).count == 0
    assert spent([run(10, effect=Effect.DESTRUCTIVE)], GUARDS, NOW).count == 1


def test_more_runs_than_the_budget_are_free_when_enough_of_them_are_old() -> None:
    used = spent([run(3000), run(2000), run(1000), run(500)], GUARDS, NOW)
    assert (used.count, used.left, used.free_at) == (4, 0, NOW + 1600)


def test_another_window_is_told_in_words() -> None:
    assert spent([], Guards(budget=Budget(2, 7200.0)), NOW).words == "0 of 2 in 2 h"


def test_cooldown_runs_from_the_start_of_the_last_run_of_the_same_playbook() -> None:
    assert cooldown_until([], BOOK, GUARDS, NOW) is None
    assert cooldown_until([run(250), run(100)], BOOK, GUARDS, NOW) == NOW + 200
    assert cooldown_until([run(300)], BOOK, GUARDS, NOW) is None
    assert cooldown_until([run(100, playbook="other")], BOOK, GUARDS, NOW) is None


def test_a_playbook_has_its_own_cooldown() -> None:
    quick = Playbook("restart", "", When(()), (), Verify(), cooldown=10.0)
    none = Playbook("restart", "", When(()), (), Verify(), cooldown=0.0)
    assert cooldown_until([run(9)], quick, GUARDS, NOW) == NOW + 1
    assert cooldown_until([run(10)], quick, GUARDS, NOW) is None
    assert cooldown_until([run(0)], none, GUARDS, NOW) is None


def test_a_run_that_came_to_nothing_needs_no_cooldown() -> None:
    touched = (StepRecord(0, "stop", "stop_process", Effect.RESTART, NOW - 5),)
    assert cooldown_until([run(5, refunded=True)], BOOK, GUARDS, NOW) is None
    assert cooldown_until([run(5, outcome=RunOutcome.INTERRUPTED, ended_at=NOW)], BOOK, GUARDS, NOW) is None
    assert cooldown_until([run(5, outcome=RunOutcome.INTERRUPTED, ended_at=NOW, steps=touched)], BOOK, GUARDS, NOW) is not None
    assert cooldown_until([run(5, outcome=RunOutcome.FAILED, ended_at=NOW)], BOOK, GUARDS, NOW) is not None


def test_a_gentle_restart_is_allowed_once_an_hour_and_has_its_own_budget() -> None:
    assert gentle_free_at([run(100)], NOW) is None
    assert gentle_free_at([run(3599, gentle=True)], NOW) == NOW + 1
    assert gentle_free_at([run(3600, gentle=True)], NOW) is None


def test_a_parked_service_waits_one_two_four_hours_and_at_most_a_day() -> None:
    assert [rearm_delay(n, 3600) / 3600 for n in range(7)] == [1, 2, 4, 8, 16, 24, 24]
    assert rearm_delay(10_000, 3600) == 86400
    assert rearm_delay(3, 2 * 86400) == 2 * 86400
    assert rearm_delay(-1, 3600) == 3600


def test_dependencies_wake_a_parked_service_at_most_three_times_a_day() -> None:
    """P2."""
    assert may_wake([], NOW)
    assert may_wake([NOW - 100, NOW - 50], NOW)
    assert not may_wake([NOW - 80_000, NOW - 100, NOW - 50], NOW)
    assert may_wake([NOW - 86_400, NOW - 100, NOW - 50], NOW)


@pytest.mark.parametrize("back", [30.0, 3 * 3600.0])
def test_a_clock_that_went_back_neither_frees_what_is_near_nor_blocks_for_hours(back: float) -> None:
    """F07."""
    runs = [run(0), run(1), run(2)]
    used = spent(runs, GUARDS, NOW - back)
    assert used.count == (3 if back < 3600 else 0)
    assert used.free_at is None or used.free_at <= NOW - back + 3600
    assert (cooldown_until(runs, BOOK, GUARDS, NOW - back) or 0) <= NOW - back + 300


@given(st.lists(st.floats(-10_000, 10_000), max_size=12), st.floats(0, 5_000))
def test_waiting_until_it_is_free_makes_it_free(agos: list[float], later: float) -> None:
    runs = [run(ago) for ago in agos if ago >= 0]
    used = spent(runs, GUARDS, NOW)
    assert used.count + used.left >= used.of
    if used.free_at is not None:
        assert spent(runs, GUARDS, used.free_at + later).count < used.of
