"""Field types of parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from recovery.model import Effect
from recovery.params import Seconds, describe, read, shown


@pytest.mark.parametrize(
    ("hint", "value", "meant"),
    [
        (Seconds, "1m30s", 90.0),
        (str, "on", "on"),
        (bool, False, False),
        (int, 3, 3),
        (float, 3, 3),
        (Literal["HUP", "INT"], "INT", "INT"),
        (Effect, "none", Effect.NONE),
        (Seconds | None, None, None),
        (Seconds | None, "2s", 2.0),
    ],
)
def test_text_becomes_what_the_annotation_says(hint: Any, value: object, meant: object) -> None:
    assert read(hint, value) == meant


@pytest.mark.parametrize(
    ("hint", "value", "words"),
    [
        (Seconds, 30, "'30' has no unit, write '30s' or '30m'"),
        (Seconds, "1:30", "is no duration"),
        (str, 5, "must be text, not '5', put it in quotes"),
        (str, None, "must be text, not nothing"),
        (str, [], "must be text, not a list"),
        (bool, "yes", "must be true or false, not 'yes'"),
        (bool, 1, "must be true or false, not '1'"),
        (int, True, "must be a whole number, not 'true'"),
        (int, 1.5, "must be a whole number, not '1.5'"),
        (float, "a", "must be a number"),
        (Literal["HUP", "INT"], "HUPP", "'HUPP' is none of HUP, INT, did you mean 'HUP'?"),
        (Effect, "restarts", "is none of none, reload, restart, destructive, did you mean 'restart'?"),
        (Effect, 5, "'5' is none of"),
        (Seconds | None, {}, "is no duration"),
    ],
)
def test_anything_else_is_said_in_words(hint: Any, value: object, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        read(hint, value)


@pytest.mark.parametrize("hint", [dict[str, str], list[str], int | str, bytes, Any])
def test_other_annotations_are_refused_by_name(hint: Any) -> None:
    with pytest.raises(TypeError, match="no field type"):
        describe(hint)
    with pytest.raises(TypeError, match="no field type"):
        read(hint, "x")


@dataclass(frozen=True)
class Given:
    name: str
    grace: Seconds | None = None
    kill: bool = True
    for_: Seconds = 5.0


def test_what_differs_from_the_defaults_is_shown_as_a_playbook_has_it() -> None:
    assert shown(Given("x")) == "{name: x}"
    assert shown(Given("x", 90.0, kill=False, for_=0.5)) == "{name: x, grace: 1m30s, kill: false, for: 500ms}"
