from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from watchdog.probing.lines import LIMIT, one_line


def test_a_plain_text_stays() -> None:
    assert one_line(" disk is full ") == "disk is full"


def test_escapes_newlines_and_surrogates_go() -> None:
    assert one_line("\x1b[31mred\x1b[0m\nline\ttwo \ud800 \x1b]0;title\x07end") == "red line two \ufffd end"


def test_a_long_text_is_cut() -> None:
    assert len(one_line("x" * 100_000)) == LIMIT
    assert one_line("x" * 100_000).endswith("…")
    assert one_line("abcdef", 4) == "abc…"


@given(st.text(max_size=2000))
def test_any_text_becomes_one_printable_line(text: str) -> None:
    line = one_line(text)
    assert line.isprintable()
    assert len(line) <= LIMIT
    line.encode()
