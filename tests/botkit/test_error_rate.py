from hypothesis import given
from hypothesis import strategies as st

from botkit.error_rate import Window, too_many_errors


def test_half_of_the_calls_is_not_too_many_and_more_than_half_is() -> None:
    assert not too_many_errors(10, 5)
    assert too_many_errors(10, 6)


def test_fewer_than_five_calls_say_nothing() -> None:
    assert not too_many_errors(4, 4)
    assert too_many_errors(5, 3)


def test_calls_older_than_a_minute_are_forgotten() -> None:
    window = Window()
    window.add(100.0, error=True)
    window.add(130.0, error=False)
    assert window.counts(159.9) == (2, 1)
    assert window.counts(160.2) == (1, 0)
    assert window.counts(500.0) == (0, 0)


@given(st.lists(st.tuples(st.floats(0, 0.01), st.booleans()), max_size=300))
def test_a_window_has_a_limit_whatever_is_added(calls: list[tuple[float, bool]]) -> None:
    window, now = Window(), 0.0
    for pause, error in calls:
        now += pause
        window.add(now, error=error)
    assert window.counts(now) == (len(calls), sum(error for _, error in calls))
    assert len(window._slots) <= 601
