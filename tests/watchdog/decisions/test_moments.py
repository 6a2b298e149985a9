from __future__ import annotations

from watchdog.decisions.moments import ends, near


def test_a_stretch_is_over_exactly_at_its_end() -> None:
    assert ends(100.0, 10.0, 109.9) == 110.0
    assert ends(100.0, 10.0, 110.0) is None


def test_what_lies_a_little_ahead_counts_and_what_lies_far_ahead_does_not() -> None:
    assert ends(105.0, 10.0, 100.0) == 110.0
    assert ends(110.0, 10.0, 100.0) is None
    assert near(105.0, 100.0, 10.0)
    assert near(90.0, 100.0, 10.0)
    assert not near(110.0, 100.0, 10.0)
