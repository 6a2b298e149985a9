from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.film import bot
from watchdog.config.schema import Service
from watchdog.graph.build import build, cycle


def fleet(**needs: list[str]) -> dict[str, Service]:
    return {name: bot(name, depends_on=others) for name, others in needs.items()}


DIAMOND = fleet(base=[], left=["base"], right=["base"], top=["left", "right"])


def test_dependencies_come_nearest_first_and_once() -> None:
    graph = build(DIAMOND)
    assert graph.upstream("top") == ("left", "right", "base")
    assert graph.downstream("base") == ("left", "right", "top")
    assert graph.upstream("base") == ()
    assert graph.upstream("nobody") == ()


def test_levels_are_the_longest_way_down() -> None:
    graph = build(fleet(a=[], b=["a"], c=["a", "b"], alone=[]))
    assert [graph.level(name) for name in ("a", "b", "c", "alone", "nobody")] == [0, 1, 2, 0, 0]


def test_the_order_has_dependencies_first_and_is_always_the_same() -> None:
    graph = build(DIAMOND)
    assert graph.order(["top", "right", "base", "left"]) == ("base", "left", "right", "top")
    assert graph.order({"top", "left"}) == ("left", "top")


def test_a_circle_is_printed_and_refused() -> None:
    """F28."""
    assert cycle({"a": ["b"], "b": ["c"], "c": ["b"]}) == ("b", "c", "b")
    assert cycle({"a": ["a"]}) == ("a", "a")
    assert cycle({"a": ["unknown"]}) is None
    assert cycle({name: tuple(service.depends_on) for name, service in DIAMOND.items()}) is None
    with pytest.raises(ValueError, match="a -> b -> a"):
        build(fleet(a=["b"], b=["a"]))
    with pytest.raises(ValueError, match="unknown service postgre"):
        build(fleet(a=["postgre"]))


@given(st.dictionaries(st.integers(0, 12), st.lists(st.integers(0, 12), max_size=4), max_size=13))
def test_a_circle_is_found_exactly_when_there_is_one(raw: dict[int, list[int]]) -> None:
    edges = {str(name): tuple(str(other) for other in others if other in raw) for name, others in raw.items()}
    found = cycle(edges)
    if found is not None:
        assert found[0] == found[-1]
        assert all(after in edges[before] for before, after in pairwise(found))
    else:
        levels = build(bot(name, depends_on=list(dict.fromkeys(others))) for name, others in edges.items()).levels
        assert all(levels[other] < levels[name] for name, others in edges.items() for other in others)


@given(st.lists(st.sets(st.integers(0, 30), max_size=4), max_size=30))
def test_the_order_is_topological(raw: list[set[int]]) -> None:
    services = [bot(f"s{n}", depends_on=[f"s{other}" for other in sorted(others) if other < n]) for n, others in enumerate(raw)]
    graph = build(services)
    order = graph.order(service.name for service in reversed(services))
    place = {name: number for number, name in enumerate(order)}
    assert all(place[other] < place[service.name] for service in services for other in service.depends_on)


def test_ten_thousand_services_are_built_in_a_moment() -> None:
    """A chain as deep as the fleet, which recursion would not survive."""
    template = bot("s")
    services = [template]
    names = ["s"]
    for number in range(1, 10_000):
        name = f"s{number}"
        services.append(bot(name, depends_on=[names[-1]]))
        names.append(name)
    begun = time.perf_counter()
    graph = build(services)
    assert graph.level("s9999") == 9_999
    assert len(graph.downstream("s")) == 9_999
    assert time.perf_counter() - begun < 2
