from __future__ import annotations

from recovery.yaml import load_text
from watchdog.config.sources import Sources


def test_values_keep_the_file_and_place_they_came_from() -> None:
    sources = Sources(load_text("a: {x: 1}\nl: [1]\n", "one"))
    assert sources.add(load_text("a: {y: {z: 2}}\nl: [2, {k: 3}]\nn: 4\n", "two")) == []
    assert sources.add(load_text("a: {y: {q: 5}}\n", "three")) == []
    assert sources.value == {"a": {"x": 1, "y": {"z": 2, "q": 5}}, "l": [1, 2, {"k": 3}], "n": 4}
    places = {
        ("a", "x"): "one:1:8",
        ("a", "y", "z"): "two:1:12",
        ("a", "y", "q"): "three:1:12",
        ("l", 0): "one:2:5",
        ("l", 1): "two:2:5",
        ("l", 2, "k"): "two:2:12",
        ("n",): "two:3:4",
        ("a", "missing"): "one:1:1",
    }
    for path, place in places.items():
        assert str(sources.problem(path, "")).startswith(f"{place}: "), path
    assert str(sources.problem(("a", "y", "q"), "", key=True)).startswith("three:1:9: ")


def test_what_is_neither_a_map_nor_a_list_is_set_once() -> None:
    sources = Sources(load_text("a: {x: 1, l: [1]}\n", "one"))
    problems = sources.add(load_text("a: {x: 1, l: {b: 2}}\n", "two"))
    assert [str(problem) for problem in problems] == [
        "two:1:5: a.x: is already set in one:1",
        "two:1:11: a.l: is already set in one:1",
    ]


def test_a_tree_inside_a_document_has_paths_from_its_top() -> None:
    sources = Sources(load_text("config: {a: 1}\n", "film"), ("config",))
    assert sources.value == {"a": 1}
    assert str(sources.problem(("a",), "bad")) == "film:1:13: config.a: bad"
    assert str(sources.problem((), "bad")) == "film:1:9: config: bad"
