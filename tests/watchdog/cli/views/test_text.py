from __future__ import annotations

from watchdog.cli.views.text import as_written, clean, clean_line, columns, cut, folded, pad, plural, wrapped


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


def test_what_was_laid_out_in_columns_stays_so() -> None:
    assert as_written("Saw     4 timeouts\x1b[2J on\t/health  ") == "Saw     4 timeouts on /health"


def test_only_a_line_that_is_too_wide_is_wrapped_and_goes_on_under_its_text() -> None:
    line = "Saw     4 timeouts on /health"
    assert wrapped(line, len(line)) == [line]
    assert wrapped(line, 20) == ["Saw     4 timeouts", "        on /health"]
    assert wrapped("        03:41 restart: refused", 22) == ["        03:41 restart:", "        refused"]
    assert wrapped("no columns in here at all", 10) == ["no columns", "in here at", "all"]
    assert wrapped("averyveryverylonglabel    x y", 12) == ["averyveryverylonglabel", "x y"], "no room beside its label"
