"""Circles in the dependency graph (SPEC 3: the cycle is printed)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def cycles(edges: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """Each as (a, b, a), one for each edge that closes a circle on a walk in the given order; self edges are none."""
    found: list[tuple[str, ...]] = []
    done: set[str] = set()
    for root in edges:
        if root in done:
            continue
        path, position = [root], {root: 0}
        walks = [iter(edges[root])]
        while walks:
            following = next(walks[-1], None)
            if following is None:
                walks.pop()
                done.add(last := path.pop())
                del position[last]
            elif following in position and following != path[-1]:
                found.append((*path[position[following] :], following))
            elif following not in done and following not in position and following in edges:
                position[following] = len(path)
                path.append(following)
                walks.append(iter(edges[following]))
    return found
