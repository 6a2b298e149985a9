"""The graph of who needs whom, built once per configuration (SPEC 3, 5). Linear in services and edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from watchdog.config.schema import Edge, Service


@dataclass(frozen=True, slots=True)
class Graph:
    """needs: the direct dependencies of each service with their kind of edge. needed_by: its direct dependents.

    levels: 0 for a service that needs nothing, else one above the highest of what it needs. callers: by API, who lists it.
    """

    needs: Mapping[str, Mapping[str, Edge]] = field(default_factory=dict)
    needed_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)
    callers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def level(self, name: str) -> int:
        """0 for a service that needs nothing, or is not known."""
        return self.levels.get(name, 0)

    def upstream(self, name: str) -> tuple[str, ...]:
        """All dependencies, direct or not, nearest first."""
        return _reach(name, self.needs)

    def downstream(self, name: str) -> tuple[str, ...]:
        """All dependents, direct or not, nearest first."""
        return _reach(name, self.needed_by)

    def order(self, names: Iterable[str]) -> tuple[str, ...]:
        """The names with dependencies before dependents, by level and then by name: the same for every call."""
        return tuple(sorted(dict.fromkeys(names), key=lambda name: (self.level(name), name)))


def build(services: Mapping[str, Service] | Iterable[Service]) -> Graph:
    """The graph of the services. Raises ValueError for a circle, which it prints, and for an unknown name.

    The configuration tells both earlier, with their place in the file.
    """
    listed = tuple(services.values() if isinstance(services, Mapping) else services)
    needs = {service.name: service.depends_on for service in listed}
    for name, edges in needs.items():
        for other in edges:
            if other not in needs:
                raise ValueError(f"{name} depends on unknown service {other}")
    circle = cycle(needs)
    if circle is not None:
        raise ValueError(f"dependency cycle: {' -> '.join(circle)}")
    dependents: dict[str, list[str]] = {name: [] for name in needs}
    for name, edges in needs.items():
        for other in edges:
            dependents[other].append(name)
    callers: dict[str, list[str]] = {}
    for service in listed:
        for api in service.apis:
            callers.setdefault(api, []).append(service.name)
    return Graph(needs, _frozen(dependents), _levels(needs, dependents), _frozen(callers))


def _frozen(lists: Mapping[str, list[str]]) -> Mapping[str, tuple[str, ...]]:
    return {name: tuple(others) for name, others in lists.items()}


def cycle(edges: Mapping[str, Iterable[str]]) -> tuple[str, ...] | None:
    """The first circle found, its first name repeated at the end (`a b a`; `a a` for an edge to itself), or None.

    Without recursion, so that a long chain is no danger.
    """
    done: set[str] = set()
    for start in edges:
        if start in done:
            continue
        path: dict[str, None] = {start: None}
        trail: list[tuple[str, Iterator[str]]] = [(start, iter(edges[start]))]
        while trail:
            name, rest = trail[-1]
            for other in rest:
                if other in path:
                    names = list(path)
                    return (*names[names.index(other) :], other)
                if other not in done and other in edges:
                    path[other] = None
                    trail.append((other, iter(edges[other])))
                    break
            else:
                trail.pop()
                del path[name]
                done.add(name)
    return None


def _levels(needs: Mapping[str, Iterable[str]], dependents: Mapping[str, list[str]]) -> dict[str, int]:
    """Longest way down to the ground, by taking away what needs nothing any more."""
    left = {name: len(tuple(edges)) for name, edges in needs.items()}
    levels = {name: 0 for name, count in left.items() if count == 0}
    ready = list(levels)
    for name in ready:
        for other in dependents[name]:
            left[other] -= 1
            levels[other] = max(levels.get(other, 0), levels[name] + 1)
            if left[other] == 0:
                ready.append(other)
    return levels


def _reach(name: str, edges: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Breadth first; each name once, however many ways lead to it."""
    found: dict[str, None] = {}
    ring: Iterable[str] = (name,)
    while ring:
        ring = [other for near in ring for other in edges.get(near, ())]
        ring = [other for other in dict.fromkeys(ring) if other not in found]
        found.update(dict.fromkeys(ring))
    return tuple(found)
