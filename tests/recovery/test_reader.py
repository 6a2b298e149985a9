"""Reading field by field."""

from __future__ import annotations

from recovery.params import Seconds
from recovery.reader import Known, Reader
from recovery.yaml import load_text
from tests.fakes.scene import ACTIONS


def reader(text: str) -> Reader:
    return Reader(load_text(text, "x.yaml"), Known(ACTIONS))


def test_good_fields_are_read_and_bad_ones_gathered() -> None:
    found = reader("a: 5s\nb: 7\nc: 1m\n")
    assert found.fields(found.document.value, (), {"a": Seconds, "b": Seconds, "d": str}) == {"a": 5.0}
    found.strangers(found.document.value, (), ("a", "b"), "key")
    assert [str(problem) for problem in found.problems] == [
        "x.yaml:2:4: b: '7' has no unit, write '7s' or '7m'",
        "x.yaml:3:1: c: unknown key 'c'",
    ]


def test_the_wrong_kind_of_container_is_told_and_read_as_empty() -> None:
    found = reader("a: [1]\nb: {c: 1}\nd: [x, 5, '']\n")
    assert found.pairs(found.document.value["a"], ("a",)) == {}
    assert found.items(found.document.value["b"], ("b",)) == []
    assert found.texts(found.document.value["d"], ("d",)) == ("x", "")
    assert [str(problem) for problem in found.problems] == [
        "x.yaml:1:1: a: must be 'key: value' pairs",
        "x.yaml:2:1: b: must be a list",
        "x.yaml:3:8: d: must be text, not '5'",
        "x.yaml:3:11: d: must be text, not ''",
    ]


def test_lower_bounds_concern_only_what_was_written() -> None:
    found = reader("a: 0\n")
    found.at_least({"a": 0}, (), "a", 1, "at least 1")
    found.at_least({}, (), "b", 1, "at least 1")
    assert [str(problem) for problem in found.problems] == ["x.yaml:1:4: a: at least 1"]
