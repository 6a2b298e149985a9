from __future__ import annotations

from tests.fakes.film import bot
from watchdog.config.schema import Service
from watchdog.graph.build import build
from watchdog.graph.walk import restart_with, roots


def fleet(**needs: list[str] | dict[str, str]) -> dict[str, Service]:
    return {name: bot(name, depends_on=others) for name, others in needs.items()}


def test_the_deepest_unhealthy_dependency_is_healed_first() -> None:
    """F27: the dependency is also red, so it alone is the root."""
    graph = build(fleet(db=[], api=["db"], bot=["api"]))
    assert roots(graph, "bot", {"api", "bot"}) == ("api",)
    assert roots(graph, "bot", {"db", "api", "bot"}) == ("db",)
    assert roots(graph, "api", {"api", "bot"}) == (), "what needs it does not matter"


def test_an_unhealthy_dependency_behind_a_healthy_one_is_found() -> None:
    graph = build(fleet(db=[], api=["db"], bot=["api"]))
    assert roots(graph, "bot", {"db", "bot"}) == ("db",)


def test_a_diamond_has_one_root_and_two_sides_have_two() -> None:
    graph = build(fleet(base=[], left=["base"], right=["base"], top=["left", "right"]))
    assert roots(graph, "top", {"base", "left", "right"}) == ("base",)
    assert roots(graph, "top", {"right", "left"}) == ("left", "right")


def test_only_restart_with_edges_restart_and_each_dependent_once() -> None:
    """P6."""
    graph = build(
        fleet(
            redis=[],
            needs=["redis"],
            left={"redis": "restart_with"},
            right={"redis": "restart_with"},
            top={"left": "needs", "right": "needs"},
        )
    )
    assert restart_with(graph, "redis") == ("left", "right")
    assert restart_with(graph, "left") == ()
    assert restart_with(graph, "nobody") == ()
