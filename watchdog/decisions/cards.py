"""Cards as they begin, and the fleet of them at the start of the daemon."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from recovery.model import Playbook
from recovery.ports import Runtime
from watchdog.config.schema import Service, Settings
from watchdog.decisions.fleet import Card, Fleet
from watchdog.decisions.ports import Loaded
from watchdog.decisions.recall import recall
from watchdog.graph.build import build
from watchdog.state.history import begin


def new_fleet(
    settings: Settings,
    playbooks: Mapping[str, Playbook],
    runtimes: Callable[[Service], Runtime | None],
    boot: str,
    loaded: Loaded,
    now: float,
) -> Fleet:
    """The fleet with what an earlier life remembers of it. boot: of the host. now: wall seconds."""
    cards = {name: new_card(service, runtimes(service), now) for name, service in settings.services.items()}
    fleet = Fleet(settings, playbooks, build(settings.services), cards, started_at=now, config_loaded_at=now)
    fleet.boot = boot
    fleet.settle(now, "settling after the start of the daemon")
    recall(fleet, loaded)
    return fleet


def new_card(service: Service, runtime: Runtime | None, now: float) -> Card:
    """Nobody has asked it yet."""
    return Card(service, begin(service.name, now), runtime, leaves_host=leaves_host(service))


def leaves_host(service: Service) -> bool:
    """Its checks go over our own network: what they cannot reach may be our fault (SPEC 5, step 1)."""
    target = service.probe.http or (f"//{service.probe.tcp}" if service.probe.tcp else "")
    host = urlsplit(target).hostname or "localhost"
    if host == "localhost":
        return False
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return True
