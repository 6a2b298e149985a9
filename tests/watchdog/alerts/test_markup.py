from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.bot_api import Parsed
from watchdog.alerts.markup import LONGEST, html, plain, shortened, units

CRITICAL = """🔴 eZee <Scraper> down 15 min, not healed
since 03:32 +05 · incident 214

Saw     4 timeouts & more
Tried   03:34 restart: refused
        03:41 restart: refused
Act     watchdogctl incident 214
        watchdogctl resume # heal now"""


def test_labels_are_bold_and_commands_are_to_be_touched() -> None:
    assert html(CRITICAL) == (
        "<b>🔴 eZee &lt;Scraper&gt; down 15 min, not healed</b>\n"
        "since 03:32 +05 · incident 214\n\n"
        "<b>Saw</b> 4 timeouts &amp; more\n"
        "<b>Tried</b> 03:34 restart: refused\n"
        "03:41 restart: refused\n"
        "<b>Act</b> <code>watchdogctl incident 214</code>\n"
        "<code>watchdogctl resume</code> (heal now)"
    )


@given(st.text())
def test_whatever_a_bot_says_is_text(words: str) -> None:
    """No markup of theirs, none of ours broken, and nothing that paints."""
    text = f"🔴 {words}\nSaw     {words}\nAct     {words}"
    read = Parsed(html(text)).text
    assert read.split() == plain(text).split() or len(read) <= len(text)
    assert "\x1b" not in read
    assert "\u202e" not in read


def test_length_is_counted_as_telegram_counts_it() -> None:
    assert units("🔴a") == 3


@given(st.lists(st.text(alphabet="ab 🔴<&", max_size=3000), min_size=1, max_size=60))
def test_what_is_too_long_keeps_its_head_and_its_end_and_fits(rows: list[str]) -> None:
    text = "\n".join(rows)
    short = shortened(text)
    assert units(short) <= LONGEST
    assert short == text or units(text) > LONGEST
    assert short[:40] == text[:40] or "\n" in short[:41]


def test_values_lose_their_middle_before_a_line_is_lost() -> None:
    text = "\n".join(["🔴 head", *(f"{number} " + "x" * 1500 + " end" for number in range(4)), "Act     watchdogctl incident 1"])
    rows = shortened(text).split("\n")
    assert len(rows) == 6
    assert rows[1].startswith("0 x")
    assert rows[1].endswith(" end")
    assert rows[-1] == "Act     watchdogctl incident 1"


def test_of_too_many_lines_the_middle_goes() -> None:
    rows = shortened("\n".join(f"line {number} of a long digest" for number in range(1000))).split("\n")
    assert (rows[0], rows[-1]) == ("line 0 of a long digest", "line 999 of a long digest")
    assert sum("lines are left out here" in row for row in rows) == 1


def test_at_most_ninety_marks() -> None:
    text = "\n".join(["head", *(f"Saw     {number}" for number in range(200))])
    assert Parsed(html(text)).entities <= 90
