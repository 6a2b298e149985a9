from __future__ import annotations

from recovery.document import Document, YamlError
from recovery.problem import Mark, Problem


def test_places_are_those_of_the_members_in_their_order() -> None:
    document = Document("f", "one\ntwo\n")
    inner: list[object] = [1]
    document.value = {"a": 1, "b": inner}
    document.note(document.value, Mark(1, 1, 1), Mark(1, 4, 9))
    document.note(document.value, Mark(2, 1, 1), Mark(2, 4, 262_144))
    document.note(inner, Mark(2, 5), Mark(2, 5))
    assert document.where(("a",)) == Mark(1, 4, 9)
    assert document.where(("b",), key=True) == Mark(2, 1, 1)
    assert document.where(("b",)) == Mark(2, 4, 262_144)
    assert document.where(("b", 0)) == Mark(2, 5)


def test_what_is_not_there_is_at_the_nearest_key_above_it() -> None:
    document = Document("f", "")
    document.value = {"a": {"added": 1}}
    document.note(document.value, Mark(3, 1), Mark(3, 4))
    assert document.where(("a", "added")) == Mark(3, 1), "put there later, not read from the file"
    assert document.where(("a", "x", 5, "y")) == Mark(3, 1)
    assert document.where(("z",)) == Mark(1, 1)


def test_a_problem_shows_its_source_line() -> None:
    document = Document("f", "one\r\ntwo\u2028three")
    assert document.at(Mark(3, 1), "bad", "x") == Problem("f", Mark(3, 1), "x", "bad", "three")
    assert document.at(Mark(9, 1), "bad").source == ""
    assert str(YamlError((document.at(Mark(1, 2), "bad"),))) == "f:1:2: bad"
