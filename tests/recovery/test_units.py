from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recovery import units


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30), ("2m", 120), ("1h", 3600), ("7d", 604800), ("100ms", 0.1), ("1h30m", 5400), ("1.5h", 5400), ("0s", 0)],
)
def test_a_duration_is_a_number_with_its_unit(text: str, seconds: float) -> None:
    assert units.parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("30", "'30' has no unit, write '30s' or '30m'"),
        (30, "'30' has no unit, write '30s' or '30m'"),
        ("1:30", "is no duration"),
        ("30 sec", "write '30s'"),
        ("2Min", "write '2m'"),
        ("1h 30m", "write '1h30m'"),
        ("30m1h", "write '1h30m'"),
        ("-5s", "cannot be negative"),
        ("", "is no duration"),
        ("s", "is no duration"),
        (True, "'true' is no duration"),
        (None, "'null' is no duration"),
        ("9" * 30 + "d", "longer than ten years"),
        ("9" * 5000 + "s", "is no duration"),
        ("٣s", "is no duration"),
    ],
)
def test_a_duration_without_unit_or_sense_is_an_error_that_says_what_to_write(value: object, words: str) -> None:
    with pytest.raises(units.UnitError, match=re.escape(words)):
        units.parse_duration(value)


def test_a_share_carries_its_percent_sign() -> None:
    assert units.parse_share("50%") == 0.5
    assert units.parse_share("12.5%") == 0.125
    for value, words in (
        (50, "write '50%'"),
        (0.5, "write '50%'"),
        ("50", "write '50%'"),
        ("101%", "more than 100%"),
        ("x", "no share"),
    ):
        with pytest.raises(units.UnitError, match=re.escape(words)):
            units.parse_share(value)


def test_a_size_carries_its_unit() -> None:
    assert units.parse_size("800MB") == 800_000_000
    assert units.parse_size("2GiB") == 2 * 2**30
    assert units.parse_size("1.5kB") == 1500
    for value, words in ((800, "write '800MB'"), ("800", "write '800MB'"), ("800mb", "is no size"), (None, "is no size")):
        with pytest.raises(units.UnitError, match=re.escape(words)):
            units.parse_size(value)


def test_a_size_is_written_as_it_was_read() -> None:
    for text in ("800MB", "2GiB", "1234B", "5kB", "1TB"):
        assert units.compact_size(units.parse_size(text)) == text
    assert units.compact_size(0) == "0B"
    assert re.fullmatch(units.SIZE_PATTERN, "1.5GiB")
    assert not re.fullmatch(units.SIZE_PATTERN, "800")


def test_a_rate_is_a_count_per_time() -> None:
    assert units.parse_rate("3/1h") == (3, 3600.0)
    for value, words in (
        ("3/h", "write '3/1h'"),
        ("3", "no count per time"),
        ("0/1h", "above zero"),
        ("3/0s", "above zero"),
        (3, "no count"),
    ):
        with pytest.raises(units.UnitError, match=re.escape(words)):
            units.parse_rate(value)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-1, "0 s"),
        (0, "0 s"),
        (0.35, "350 ms"),
        (9, "9 s"),
        (59.7, "1 min"),
        (144, "2 min 24 s"),
        (900, "15 min"),
        (1870, "31 min"),
        (3599, "1 h"),
        (12000, "3 h 20 min"),
        (100800, "1 day 4 h"),
        (86400 * 3, "3 days"),
    ],
)
def test_people_read_durations_in_words(seconds: float, words: str) -> None:
    assert units.format_duration(seconds) == words


def test_people_read_sizes_in_words() -> None:
    assert [units.format_size(n) for n in (812, 64_000, 1_400_000_000, 2e13)] == ["812 B", "64 kB", "1.4 GB", "20.0 TB"]


@given(st.integers(min_value=0, max_value=10**11))
def test_the_compact_form_reads_back_as_the_same_time(milliseconds: int) -> None:
    assert units.parse_duration(units.compact_duration(milliseconds / 1000)) == pytest.approx(milliseconds / 1000)
    assert re.fullmatch(units.DURATION_PATTERN, units.compact_duration(milliseconds / 1000))


@given(st.one_of(st.text(), st.integers(), st.floats(), st.none(), st.booleans(), st.lists(st.text())))
def test_nothing_but_a_unit_error_comes_out(value: object) -> None:
    for parse in (units.parse_duration, units.parse_share, units.parse_size, units.parse_rate):
        try:
            parse(value)
        except units.UnitError:
            pass


def test_a_bare_number_is_told_in_the_units_that_are_likely_meant() -> None:
    for value in (10, "10"):
        with pytest.raises(units.UnitError, match="write '10d' or '10h'"):
            units.parse_duration(value, ("d", "h"))
