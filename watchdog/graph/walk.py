"""What an unhealthy neighbour means for a service (SPEC 5, root). Health comes in as a set of names; the graph holds none."""

from __future__ import annotations

from collections.abc import Collection

from watchdog.config.schema import Edge
from watchdog.graph.build import Graph


def roots(graph: Graph, name: str, unhealthy: Collection[str]) -> tuple[str, ...]:
    """The unhealthy dependencies that need no other unhealthy one: those healed first. Empty: the service itself is the root."""
    ill = set(unhealthy)
    suspects = [other for other in graph.upstream(name) if other in ill]
    return graph.order(other for other in suspects if ill.isdisjoint(graph.upstream(other)))


def restart_with(graph: Graph, name: str) -> tuple[str, ...]:
    """The direct dependents that restart once after this service was restarted and proved healthy (`restart_with` edges)."""
    dependents = graph.needed_by.get(name, ())
    return graph.order(other for other in dependents if graph.needs[other][name] is Edge.RESTART_WITH)
