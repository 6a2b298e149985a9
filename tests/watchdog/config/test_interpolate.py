from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recovery.yaml import load_text
from watchdog.config.interpolate import Variables, replace
from watchdog.config.sources import Sources

ENVIRON = {"HOST": "db.example", "EMPTY": "", "TRICK": "a: [1], ${HOST}"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${HOST}:5432", "db.example:5432"),
        ("${NOPE:-x}", "x"),
        ("${EMPTY:-x}", "x"),
        ("${EMPTY}", ""),
        ("${NOPE:-}", ""),
        ("$$HOME $${HOST} $HOME $", "$HOME ${HOST} $HOME $"),
        ("${TRICK}", "a: [1], ${HOST}"),
        ("${HOST:?must}", "db.example"),
    ],
)
def test_variables_are_replaced_once_and_in_values_only(text: str, value: str) -> None:
    assert replace(text, ENVIRON) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("${NOPE}", "variable 'NOPE' is not set"),
        ("${NOPE:?name it}", "variable 'NOPE': name it"),
        ("${EMPTY:?}", "variable 'EMPTY': must be set"),
        ("${1X}", "is no variable"),
        ("${}", "is no variable"),
        ("${HOST", "is no variable"),
        ("${HOST:+x}", "is no variable"),
    ],
)
def test_what_cannot_be_replaced_is_an_error(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=r".*") as caught:
        replace(text, ENVIRON)
    assert words in str(caught.value)


def test_every_missing_variable_is_told_with_its_place_and_keys_are_left_alone() -> None:
    sources = Sources(load_text('${HOST}: "${A}"\nb: [x, "${HOST}", "${B}"]\n', "f"))
    variables = Variables(ENVIRON)
    variables.fill(sources)
    assert [str(problem).split(": ")[0] for problem in variables.problems] == ["f:1:10", "f:2:19"]
    assert sources.value["b"][1] == "db.example"
    assert "${HOST}" in sources.value
    assert variables.written == {("b", 1): ("${HOST}", "db.example")}


@given(st.text())
def test_any_text_is_replaced_or_refused(text: str) -> None:
    try:
        replace(text, ENVIRON)
    except ValueError:
        pass
