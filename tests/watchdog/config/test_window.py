from __future__ import annotations

import pytest

from watchdog.config.window import Window, parse_window


def test_a_window_is_a_cron_line_and_a_length() -> None:
    assert parse_window("0 3 * * 1 for 30m") == Window("0 3 * * 1", 1800.0)
    assert parse_window("0  3 * * MON  for 1h") == Window("0 3 * * MON", 3600.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0 3 * * 1", "is no maintenance window"),
        ("for 30m", "is no maintenance window"),
        ("0 3 * * 1 for 30", "has no unit"),
        ("0 3 * * 1 for 0s", "longer than nothing"),
        ("0 3 * * 1 for 40d", "at most 31 days"),
        ("0 3 * * for 30m", "has 4 fields"),
        ("0 0 3 * * 1 for 30m", "has 6 fields"),
        ("61 3 * * 1 for 30m", "bad minute"),
        ("0 3 30 2 * for 30m", "is no cron line"),
        ("x y z a b for 30m", "is no cron line"),
    ],
)
def test_anything_else_is_an_error_that_says_why(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_window(text)
