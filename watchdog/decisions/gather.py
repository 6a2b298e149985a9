"""Gathers, from the cards, everything that `decide` may look at. No rule: it only brings together."""

from __future__ import annotations

from watchdog.config.maintenance import in_maintenance
from watchdog.decisions.fleet import Card, Fleet
from watchdog.decisions.situation import Dependency, Pause, Situation, World
from watchdog.decisions.storm import threshold
from watchdog.decisions.wellness import wellness
from watchdog.model.symptom import SOFT, Symptom
from watchdog.state.history import muted

FRESH = 5.0
"""Seconds for which the fresh answer of a dependency is good enough to act on."""


def gather(fleet: Fleet, card: Card, symptom: Symptom, now: float) -> Situation:
    """The situation of one service that has a symptom. `now`: wall seconds."""
    service, incident = card.service, card.incident
    return Situation(
        service=service,
        symptom=symptom,
        guards=fleet.settings.guards,
        playbooks=fleet.playbooks,
        observing=fleet.observing,
        world=_world(fleet, card),
        hold=card.hold,
        maintenance_until=in_maintenance(service, fleet.zone, now),
        by_hand=card.by_hand,
        touched=card.touched,
        acked=incident is not None and incident.acked,
        dependencies=_dependencies(fleet, card, now),
        named=_named(card),
        reconnect=card.reconnect,
        settle=_settle(fleet, now),
        grace=_grace(card, now),
        started_at=card.history.life.started_at,
        runs=card.charges,
        working=fleet.working,
        alike=fleet.alike,
        soft_busy=_soft_busy(fleet, card, symptom),
        parking=card.parking,
        rung=card.rung,
        approval=card.approval,
    )


def _world(fleet: Fleet, card: Card) -> World:
    storm = fleet.storm
    total = len(fleet.cards)
    storm_words = ""
    if storm is not None and card.name in storm.members:
        storm_words = f"{len(storm.members)} services went bad at once; nothing of it is acted on"
    elif card.name in fleet.gathering:
        storm_words = f"{len(fleet.gathering)} services went bad at once; their dependencies are asked first"
    return World(
        storm=storm_words,
        network="our own network is down" if fleet.network_down is not None and card.leaves_host else "",
        docker="Docker does not answer" if card.engine in fleet.engines_down else "",
        store=f"the store cannot be written ({fleet.store_trouble}); acting stops" if fleet.store_trouble else "",
        bad=len(fleet.bad.keys() - fleet.explained),
        total=total,
        storm_at=threshold(total, fleet.settings.guards.storm),
    )


def _dependencies(fleet: Fleet, card: Card, now: float) -> tuple[Dependency, ...]:
    incident = card.incident
    since = incident.confirmed_at if incident is not None and incident.confirmed_at is not None else now - FRESH
    return tuple(_dependency(fleet, other, since, now) for other in fleet.upstream(card.name))


def _dependency(fleet: Fleet, other: Card, since: float, now: float) -> Dependency:
    well, why = wellness(other, now)
    incident = other.incident.id if other.incident is not None else None
    level = fleet.graph.level(other.name)
    if well is False:
        return Dependency(other.name, False, why, incident, level)
    fresh = other.fresh
    if fresh is None or fresh.answered_at is None or fresh.asked_at < since or now - fresh.answered_at > FRESH:
        return Dependency(other.name, None, "is being asked", incident, level)
    return Dependency(other.name, well, why, incident, level)


def _named(card: Card) -> str:
    seen = card.history.last
    if seen is None:
        return ""
    names = dict.fromkeys(part.declared for part in seen.ill if part.declared)
    return ", ".join(names) or (seen.reason or "")


def _settle(fleet: Fleet, now: float) -> Pause | None:
    if now >= fleet.settle_until:
        return None
    return Pause(fleet.settle_why, fleet.settle_until)


def _grace(card: Card, now: float) -> Pause | None:
    until = card.history.life.grace_until
    if until is None or not muted(card.history, now):
        return None
    return Pause("within its startup grace", until)


def _soft_busy(fleet: Fleet, card: Card, symptom: Symptom) -> str:
    """The name of what goes before a soft recovery: another soft one at work, or any urgent one that is wanted."""
    if symptom.name not in SOFT:
        return ""
    for other in fleet.roused:
        if other is card or other.incident is None:
            continue
        if other.active is not None or (other.incident.stage.value == "confirmed" and other.incident.symptom not in SOFT):
            return other.name
    return ""
