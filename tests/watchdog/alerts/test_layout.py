"""Labelled blocks."""

from __future__ import annotations

from watchdog.alerts.layout import column, lines


def test_a_label_is_written_once_and_its_values_hang_under_it() -> None:
    assert lines(*column("Act", ["one", "two"])) == "Act     one\n        two"


def test_what_is_empty_is_left_out() -> None:
    assert column("Likely", [""]) == []
    assert column("Log", ["", "boom"]) == ["Log     boom"]


def test_a_value_stays_one_short_line() -> None:
    assert column("Saw", ["a\nb" + "x" * 300], 10) == ["Saw     a bxxxxxx…"]
