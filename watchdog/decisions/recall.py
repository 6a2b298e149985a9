"""Puts what the store remembers back on the cards: the counterpart of the chronicle (SPEC 5: all counts survive the daemon)."""

from __future__ import annotations

import json
from dataclasses import replace

from watchdog.alerts.causes import Change
from watchdog.decisions.fleet import DOCKER, HOST, NETWORK, STORM, Card, Fleet
from watchdog.decisions.ports import Loaded
from watchdog.decisions.situation import Approval, Parking, Pause
from watchdog.decisions.storm import Storm
from watchdog.model.container import ByHand, Deed
from watchdog.model.incident import Stage
from watchdog.model.records import Memory, Segment
from watchdog.model.service import State
from watchdog.state.memory import restore

ALIVE = "alive_at"
"""The daemon's own sign of life in the store, about once a minute."""

AWAY = 300.0
"""Seconds without a sign of life after which the daemon was away: it could not act, so that clocks start anew (SPEC 11)."""


def recall(fleet: Fleet, loaded: Loaded) -> None:
    """Memories first, then incidents, runs and holds. What belongs to services that are gone stays in the store."""
    for memory in loaded.memories:
        if memory.service in fleet.cards:
            _memory(fleet.cards[memory.service], memory)
    for incident in sorted(loaded.incidents, key=lambda i: i.id):
        fleet.next_incident = max(fleet.next_incident, incident.id + 1)
        card = fleet.cards.get(incident.service)
        if card is not None and incident.open:
            card.incident = incident
            fleet.turn_bad(card.name, incident.reopened_at if incident.reopened_at is not None else incident.opened_at)
        elif card is not None and not incident.blip:
            card.last = incident
            if incident.parent is None:
                card.past = (*card.past, incident)
        elif incident.service in (HOST, DOCKER) and incident.open:
            fleet.host[incident.symptom or ""] = incident
    _clocks(fleet, loaded)
    for run in sorted(loaded.runs, key=lambda r: r.id):
        fleet.next_run = max(fleet.next_run, run.id + 1)
        if run.service in fleet.cards:
            card = fleet.cards[run.service]
            card.runs = (*card.runs, run)
    for hold in loaded.holds:
        if hold.service in fleet.cards and hold.ended_at is None:
            fleet.cards[hold.service].hold = hold
    fleet.next_notice = max((notice.id + 1 for notice in loaded.notices), default=1)
    for card in fleet:
        if card.approval is not None:
            fleet.next_run = max(fleet.next_run, card.approval.run + 1)
    _weather(fleet)
    _numbers(fleet, loaded)
    _tidy(fleet)


def _clocks(fleet: Fleet, loaded: Loaded) -> None:
    """A short restart costs no clock anything; while the daemon was away it could not act, and the clock starts anew."""
    now = fleet.started_at
    for card in fleet if absence(loaded, now) is not None else ():
        if card.incident is not None and card.incident.clock_at is not None:
            card.incident = replace(card.incident, clock_at=now)


def absence(loaded: Loaded, now: float) -> Segment | None:
    """The stretch of this host in which the watchdog did not run before `now`; None for a short restart and a new store."""
    try:
        seen = float(loaded.meta[ALIVE])
    except (KeyError, ValueError):
        return None
    return Segment(HOST, State.UNKNOWN, seen, now, "the watchdog did not run") if now - seen > AWAY else None


def _weather(fleet: Fleet) -> None:
    """A storm or a dead network of an earlier life goes on until it is seen to be over."""
    storm = fleet.host.get(STORM)
    if storm is not None:
        members = {card.name for card in fleet if card.incident is not None and card.incident.parent == storm.id}
        fleet.storm = Storm(frozenset(members), storm.opened_at, max((fleet.bad[m] for m in members), default=storm.opened_at))
    if NETWORK in fleet.host:
        fleet.network_down = fleet.host[NETWORK].opened_at


def _memory(card: Card, memory: Memory) -> None:
    """What cannot be read is as good as new."""
    try:
        doc = json.loads(memory.doc)
        card.history = restore(doc["history"])
        if doc.get("parking"):
            parking = doc["parking"]
            card.parking = Parking(**{**parking, "woken": tuple(parking.get("woken", ())), "chance": ""})
        card.approval = Approval(**doc["approval"]) if doc.get("approval") else None
        card.rung = doc.get("rung", "")
        card.well, card.well_as = bool(doc.get("well", True)), doc.get("well_as", "")
        card.boot = doc.get("boot", "")
        card.scolded = bool(doc.get("scolded", False))
        card.owed = doc.get("owed", "")
        hand = doc.get("by_hand")
        card.by_hand = ByHand(**{**hand, "deed": Deed(hand["deed"])}) if hand else None
        card.reconnect = Pause(**doc["reconnect"]) if doc.get("reconnect") else None
        card.amnesty = doc.get("amnesty", 0.0)
        card.changes = tuple(Change(float(at), str(what)) for at, what in doc.get("changes", ()))
        card.version = str(doc.get("version", ""))
        card.bouts = tuple((float(at), str(symptom)) for at, symptom in doc.get("bouts", ()))
    except (ValueError, KeyError, TypeError, RecursionError):
        return


def _numbers(fleet: Fleet, loaded: Loaded) -> None:
    """Numbers go on where the store ends, also beyond what it loaded."""
    fleet.next_incident = max(fleet.next_incident, loaded.next_incident)
    fleet.next_run = max(fleet.next_run, loaded.next_run)
    fleet.next_notice = max(fleet.next_notice, loaded.next_notice)


def _tidy(fleet: Fleet) -> None:
    """An incident that was healing goes on healing only with its open run; a parking without its incident is over."""
    for card in fleet:
        incident = card.incident
        if incident is not None and incident.stage is Stage.HEALING and not any(run.open for run in card.runs):
            card.incident = replace(incident, stage=Stage.CONFIRMED, reason="the daemon was started again")
        if incident is None or incident.stage not in {Stage.PARKED, Stage.HEALING}:
            card.parking = None
        if card.busy:
            fleet.rouse(card)
