"""Text from bots is shown as one harmless line."""

from __future__ import annotations

import pytest

from watchdog.model.oneline import in_place, one_line


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain words", "plain words"),
        ("two\nlines\r\nand\ta tab", "two lines and a tab"),
        ("\x1b[31mred\x1b[0m alarm", "red alarm"),
        ("\x1b]0;a new window title\x07after", "after"),
        ("fake\u202etxet", "fake txet"),
        ("zero\u200bwidth", "zero width"),
        ("lone \ud83d surrogate", "lone surrogate"),
        ("кириллица и oʻzbekcha", "кириллица и oʻzbekcha"),
        ("  ", ""),
    ],
)
def test_nothing_in_it_can_move_the_cursor_or_begin_a_line(raw: str, shown: str) -> None:
    assert one_line(raw) == shown


def test_a_hundred_kilobytes_are_cut_to_the_limit() -> None:
    shown = one_line("x" * 100_000, 80)
    assert len(shown) == 80
    assert shown.endswith("…")


def test_what_fits_exactly_is_not_cut() -> None:
    assert one_line("x" * 80, 80) == "x" * 80


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("Saw     4 timeouts", "Saw     4 timeouts"),
        ("        and more  ", "        and more  "),
        ("\x1b[31mred\x1b[0m  alarm\x07", "red  alarm "),
        ("a\rb\nc\u202ed\u200be", "a b c d e"),
    ],
)
def test_in_place_every_blank_stays_and_nothing_is_left_that_moves_the_cursor(raw: str, shown: str) -> None:
    assert in_place(raw, 200) == shown


def test_in_place_is_cut_to_its_limit_too() -> None:
    assert in_place("x" * 100, 10) == "x" * 9 + "…"
