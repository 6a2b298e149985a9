from __future__ import annotations

from watchdog.cli.views.text import clean, clean_line, columns, cut, folded, pad, plural


def test_text_of_a_bot_cannot_touch_the_terminal() -> None:
    assert "\x1b" not in clean("a\x1b[31mred\x1b]0;title\x07\rover\x08\x9b2J")
    assert "\u202e" not in clean("right\u202eleft")
    assert clean("two\nlines") == "two lines"


def test_a_log_line_keeps_its_indent() -> None:
    assert clean_line('    File "bot.py"\x1b[0m') == '    File "bot.py"'


def test_wide_letters_count_twice_and_combining_ones_nothing() -> None:
    assert columns("бот") == 3
    assert columns("ボット") == 6
    assert columns("e\u0301") == 1


def test_what_is_cut_says_so_and_fits() -> None:
    assert cut("scraper", 7) == "scraper"
    assert cut("scraper of a hotel", 9) == "scraper…"
    assert columns(cut("ボットボット", 6)) <= 6
    assert pad("bot", 5) == "bot  "
    assert cut("anything", 0) == ""


def test_long_text_is_folded_at_blanks() -> None:
    assert folded("one two three", 8, "  ") == ["one two", "  three"]
    assert folded("unbreakable", 4) == ["unbreakable"]


def test_numbers_agree_with_their_noun() -> None:
    assert (plural(1, "level"), plural(2, "level"), plural(0, "entry", "entries")) == ("1 level", "2 levels", "0 entries")
