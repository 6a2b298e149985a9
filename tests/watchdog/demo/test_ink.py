"""Columns and colours."""

from __future__ import annotations

import pytest

from watchdog.demo.ink import Ink, fit, folded


def test_colour_only_where_it_is_wanted() -> None:
    assert Ink().paint("ok", "good") == "ok"
    assert Ink(colour=True).paint("ok", "good") == "\x1b[32mok\x1b[0m"
    assert Ink(colour=True).paint("ok", "nothing") == "ok"
    assert Ink(colour=True).paint("", "good") == ""


@pytest.mark.parametrize(
    ("text", "width", "fitted"),
    [
        ("abc", 5, "abc  "),
        ("abcdef", 5, "abcd…"),
        ("ab cdef", 4, "ab… "),
        ("🔴 a", 5, "🔴 a "),
        ("🔴🔴", 3, "🔴…"),
        ("abc", 0, ""),
    ],
)
def test_text_fits_its_columns(text: str, width: int, fitted: str) -> None:
    assert fit(text, width) == fitted


def test_lines_are_broken_at_spaces() -> None:
    assert folded("one two three", 8) == ["one two", "three"]
    assert folded("incomprehensible word", 8) == ["incomprehensible", "word"]
    assert folded("", 8) == [""]
