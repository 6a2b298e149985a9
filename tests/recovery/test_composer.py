from __future__ import annotations

import pytest

from recovery.composer import resolve_plain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("null", None),
        ("true", True),
        ("false", False),
        ("True", "True"),
        ("yes", "yes"),
        ("off", "off"),
        ("0", 0),
        ("-0", 0),
        ("+12", 12),
        ("012", "012"),
        ("0o17", "0o17"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("3.10", 3.1),
        ("1.", 1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        (".nan", ".nan"),
        ("-.inf", "-.inf"),
        ("1.2.3", "1.2.3"),
        ("2026-03-02", "2026-03-02"),
        ("٣", "٣"),
    ],
)
def test_an_unquoted_scalar_means_what_the_core_rules_say(text: str, value: object) -> None:
    assert resolve_plain(text) == value
    assert type(resolve_plain(text)) is type(value)


@pytest.mark.parametrize("text", ["9" * 20, "1e999", "-" + "9" * 5000, "0." + "1" * 100])
def test_numbers_beyond_use_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="too large a number"):
        resolve_plain(text)
