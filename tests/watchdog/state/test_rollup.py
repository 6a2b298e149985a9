from __future__ import annotations

from watchdog.model.records import Rollup
from watchdog.state.rollup import Rollups

T = 1_790_000_100.0
"""The start of a five-minute bucket."""


def test_checks_of_five_minutes_are_one_sum() -> None:
    rollups = Rollups()
    assert rollups.flush(T) == []
    rollups.add("a", T, False, 0.5)
    rollups.add("a", T + 30, True, None)
    rollups.add("a", T + 59, False, 0.25)
    assert rollups.flush(T + 60) == [Rollup("a", int(T), 3, 1, 0.75, 0.5)]


def test_a_flush_says_only_what_is_new() -> None:
    rollups = Rollups()
    rollups.flush(T)
    rollups.add("a", T, False, 0.5)
    assert len(rollups.flush(T + 60)) == 1
    assert rollups.flush(T + 120) == []
    rollups.add("a", T + 121, False, 0.1)
    assert rollups.flush(T + 180) == [Rollup("a", int(T), 1, 0, 0.1, 0.1)]


def test_nothing_is_given_out_before_a_minute_has_passed_unless_forced() -> None:
    rollups = Rollups()
    rollups.flush(T)
    rollups.add("a", T + 1, False, 0.5)
    assert rollups.flush(T + 59.9) == []
    assert rollups.flush(T + 59.9, force=True) == [Rollup("a", int(T), 1, 0, 0.5, 0.5)]


def test_a_new_bucket_finishes_the_one_before() -> None:
    rollups = Rollups()
    rollups.flush(T + 270)
    rollups.add("a", T + 299.9, False, 0.5)
    rollups.add("a", T + 300, True, None)
    rollups.add("b", T + 300, False, 0.1)
    assert rollups.flush(T + 330) == [
        Rollup("a", int(T), 1, 0, 0.5, 0.5),
        Rollup("a", int(T) + 300, 1, 1, 0.0, 0.0),
        Rollup("b", int(T) + 300, 1, 0, 0.1, 0.1),
    ]


def test_a_clock_that_steps_back_neither_stops_the_flushes_nor_mixes_buckets() -> None:
    rollups = Rollups()
    rollups.flush(T + 7200)
    rollups.add("a", T + 7200, False, 0.5)
    rollups.add("a", T, False, 0.25)
    assert [r.at for r in rollups.flush(T)] == [int(T) + 7200, int(T)]
    rollups.add("a", T + 1, False, 0.5)
    assert rollups.flush(T + 30) == []
    assert len(rollups.flush(T + 60)) == 1
