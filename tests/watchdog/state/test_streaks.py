from __future__ import annotations

from tests.fakes.film import answer
from watchdog.model.observation import Kind
from watchdog.state.streaks import ZERO, advance


def test_each_kind_of_answer_ends_the_rows_of_the_others() -> None:
    rows = advance(ZERO, answer(1.0, Kind.NO_ANSWER), ())
    rows = advance(rows, answer(2.0, Kind.BAD_ANSWER), ())
    assert (rows.failing, rows.failing_since) == (2, 1.0)
    rows = advance(rows, answer(3.0, Kind.CRITICAL), ())
    assert (rows.failing, rows.critical, rows.critical_since) == (0, 1, 3.0)
    rows = advance(rows, answer(4.0, Kind.DEGRADED), ())
    assert (rows.critical, rows.degraded) == (0, 1)
    rows = advance(rows, answer(5.0), ())
    assert (rows.degraded, rows.window) == (0, 5)


def test_a_healthy_answer_after_ten_makes_no_new_value() -> None:
    rows = ZERO
    for at in range(10):
        rows = advance(rows, answer(float(at)), ())
    assert advance(rows, answer(11.0), ()) is rows


def test_an_error_type_is_counted_while_each_check_lists_it() -> None:
    rows = advance(ZERO, answer(1.0), ("A", "B"))
    rows = advance(rows, answer(2.0), ("A",))
    assert [(r.type, r.times, r.since) for r in rows.errors] == [("A", 2, 1.0)]
    assert advance(rows, answer(3.0, Kind.NO_ANSWER), ()).errors == ()
