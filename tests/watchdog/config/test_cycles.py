from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from watchdog.config.cycles import cycles

GRAPHS = st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdefx"), unique=True))


def test_a_circle_is_given_with_its_exact_path() -> None:
    """F28."""
    assert cycles({"a": ["b"], "b": ["c"], "c": ["a"]}) == [("a", "b", "c", "a")]
    assert cycles({"x": ["a"], "a": ["b"], "b": ["a"]}) == [("a", "b", "a")]


def test_a_diamond_is_fine_and_unknown_names_and_self_edges_are_no_circles() -> None:
    """F28."""
    assert cycles({"top": ["l", "r"], "l": ["base"], "r": ["base"], "base": []}) == []
    assert cycles({"a": ["nothing", "a"]}) == []


def test_two_circles_are_both_given() -> None:
    assert cycles({"a": ["b"], "b": ["a"], "c": ["d"], "d": ["c"]}) == [("a", "b", "a"), ("c", "d", "c")]


def test_a_chain_of_ten_thousand_needs_no_stack() -> None:
    edges = {str(n): [str(n + 1)] for n in range(10_000)}
    assert cycles(edges) == []
    edges["9999"] = ["0"]
    assert len(cycles(edges)[0]) == 10_001


@given(GRAPHS)
def test_what_is_given_is_a_circle_and_none_means_an_order_exists(edges: dict[str, list[str]]) -> None:
    found = cycles(edges)
    for circle in found:
        assert circle[0] == circle[-1]
        assert all(after in edges[before] for before, after in pairwise(circle))
    left = {name: {other for other in others if other in edges and other != name} for name, others in edges.items()}
    while free := [name for name, others in left.items() if not others & left.keys()]:
        for name in free:
            del left[name]
    assert bool(left) == bool(found)
