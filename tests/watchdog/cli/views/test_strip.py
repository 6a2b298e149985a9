from __future__ import annotations

from watchdog.cli.views.strip import strip, uptime
from watchdog.model.records import Segment
from watchdog.model.service import State

HOUR = 3600.0
END = 100 * HOUR


def seg(state: State, since: float, until: float | None = None) -> Segment:
    """Hours before the end."""
    return Segment("a", state, END - since * HOUR, None if until is None else END - until * HOUR)


def test_nothing_known_is_dots() -> None:
    assert strip([], END, cells=4) == "····"


def test_an_hour_shows_its_worst() -> None:
    past = [
        seg(State.OK, 4, 3),
        seg(State.FAILING, 3, 2.9),
        seg(State.OK, 2.9, 1.5),
        seg(State.DEGRADED, 1.5, 1.2),
        seg(State.OK, 1.2),
    ]
    assert strip(past, END, cells=4) == "▇▁▃▇"


def test_a_short_failure_that_is_over_is_a_dent_and_one_that_lasts_a_hole() -> None:
    short = 20 / HOUR
    assert strip([seg(State.OK, 1, 0.5), seg(State.DOWN, 0.5, 0.5 - short), seg(State.OK, 0.5 - short)], END, cells=1) == "▃"
    assert strip([seg(State.OK, 1, short), seg(State.DOWN, short)], END, cells=1) == "▁"


def test_a_stop_on_purpose_is_neither_good_nor_bad() -> None:
    stopped = [seg(State.STOPPED, 2)]
    assert strip(stopped, END, cells=2) == "––"
    assert uptime("a", stopped, END - 2 * HOUR, END) is None


def test_uptime_is_the_share_of_the_known_time() -> None:
    past = [seg(State.OK, 4, 1), seg(State.DOWN, 1)]
    assert uptime("a", past, END - 10 * HOUR, END) == 0.75
