"""Containers that ask by their labels to be watched become services beside those of the file (SPEC 3, `discovery`).

| label | means |
| --- | --- |
| `bot-watchdog.enable=true` | watch it; without it nothing else counts |
| `bot-watchdog.port=8080` | port of its /health inside the container; without it Docker's own word counts |
| `bot-watchdog.path=/health` | path of it, `/health` unless said |
| `bot-watchdog.depends_on=postgres, redis` | services it needs |
| `bot-watchdog.playbook=NAME` | the playbook that goes before all others that fit |

What the file configures goes first: a container that it names is not discovered again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from watchdog.config.check import RESERVED
from watchdog.config.container import Container
from watchdog.config.cycles import cycles
from watchdog.config.fields import NAME_PATTERN
from watchdog.config.schema import Defaults, Edge, Probe, Runtime, Service, Settings
from watchdog.model.container import Found

PREFIX = "bot-watchdog."
"""Of our labels; no other label is ever read."""

PLAYBOOK = "playbook"
"""The label of a service under which a wished playbook is kept."""

PORT = r"[1-9][0-9]{0,4}"

PATH = r"/[!\"$-~]{0,1023}"
"""Of a URL: printable ASCII, as it is sent, and no fragment. All else is refused where the question is made ready."""

MOST, AT_ONCE = 64, 5
"""Characters of a label, and names in it that lead nowhere, that are told to people."""

_YES = frozenset({"true", "1", "yes", "on"})


def discovered(settings: Settings, found: Iterable[Found]) -> tuple[Settings, tuple[str, ...]]:
    """The settings with the services that were found, and what is wrong with labels. A wrong label never hides the container."""
    if settings.discovery is None:
        return settings, ()
    taken = {(way.docker.host, way.docker.name) for each in settings.services.values() if (way := each.runtime) and way.docker}
    problems: list[str] = []
    new: dict[str, Service] = {}
    for each in sorted(found, key=lambda one: one.name):
        name = each.name.lower()
        if each.labels.get("enable", "").lower() not in _YES or (settings.discovery.docker, each.name) in taken:
            continue
        if not re.fullmatch(NAME_PATTERN, name) or name in RESERVED or name in settings.services or name in new:
            problems.append(f"container {each.name}: '{name}' cannot be the name of a service, or is one already")
            continue
        new[name] = _service(name, each, settings.discovery.docker, settings.defaults, problems)
    return replace(settings, services={**settings.services, **_joined(settings.services, new, problems)}), tuple(problems)


def _service(name: str, found: Found, socket: str, defaults: Defaults, problems: list[str]) -> Service:
    wished = found.labels.get(PLAYBOOK, "").strip()
    if wished and not re.fullmatch(NAME_PATTERN, wished):
        problems.append(f"container {found.name}: '{_short(wished)}' cannot be the name of a playbook")
        wished = ""
    return Service(
        name=name,
        probe=_probe(found, problems),
        runtime=Runtime(docker=Container(name=found.name, host=socket)),
        depends_on=dict.fromkeys(re.findall(r"[^,\s]+", found.labels.get("depends_on", "")), Edge.NEEDS),
        labels={PLAYBOOK: wished} if wished else {},
        interval=defaults.interval,
        timeout=defaults.timeout,
        retry=defaults.retry,
        startup_grace=defaults.startup_grace,
        term_grace=defaults.term_grace,
        healthy=defaults.healthy,
    )


def _probe(found: Found, problems: list[str]) -> Probe:
    """Where its /health is reached from this host: a published port, the host's own network, or its address on a bridge."""
    port, path = found.labels.get("port", "").strip(), found.labels.get("path", "/health").strip()
    if not port:
        return Probe(docker=True)
    if not (re.fullmatch(PORT, port) and int(port) <= 65535) or not re.fullmatch(PATH, path):
        said = f"port '{_short(port)}' or path '{_short(path)}' is none"
        problems.append(f"container {found.name}: {said}; Docker's own word is taken instead")
        return Probe(docker=True)
    published = found.published.get(int(port))
    address = "127.0.0.1" if published is not None or found.host_network else found.address
    if not address and not found.runs:
        return Probe(docker=True)  # until it has run nobody knows where it will be
    if not address:
        problems.append(f"container {found.name}: port {port} cannot be reached from here; Docker's own word is taken instead")
        return Probe(docker=True)
    return Probe(http=f"http://{address}:{published or port}{path}")


def _joined(known: Mapping[str, Service], new: Mapping[str, Service], problems: list[str]) -> dict[str, Service]:
    """Without edges to nowhere and without circles."""
    names = {*known, *new}
    whole = {name: replace(each, depends_on=_edges(each, names, problems)) for name, each in new.items()}
    for circle in cycles({name: list(each.depends_on) for name, each in {**known, **whole}.items()}):
        problems.append(f"the labels make a dependency cycle: {' -> '.join(circle)}; they are not taken")
        whole = {name: replace(each, depends_on={}) if name in circle else each for name, each in whole.items()}
    return whole


def _edges(service: Service, names: set[str], problems: list[str]) -> dict[str, Edge]:
    edges = {other: edge for other, edge in service.depends_on.items() if other in names and other != service.name}
    lost = [other for other in service.depends_on if other not in edges]
    problems += [f"container {service.name}: it cannot depend on '{_short(other)}'" for other in lost[:AT_ONCE]]
    if len(lost) > AT_ONCE:
        problems.append(f"container {service.name}: it cannot depend on {len(lost) - AT_ONCE} more either")
    return edges


def _short(label: str) -> str:
    return label if len(label) <= MOST else f"{label[:MOST]}..."
