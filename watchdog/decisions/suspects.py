"""What was changed about a service, and what speaks for a cause when it fails: the clues on the cards, for `alerts/causes`."""

from __future__ import annotations

from watchdog.alerts.causes import Change, Clues, guesses
from watchdog.decisions.fleet import Card, Fleet
from watchdog.model.incident import Incident
from watchdog.model.observation import Observation
from watchdog.model.records import Hold

KEPT = 5
"""Changes remembered of one service."""


def changed(card: Card, what: str, at: float) -> None:
    """Somebody changed something about this service. at: wall seconds."""
    card.changes = (*card.changes, Change(at, what))[-KEPT:]


def hold_ended(hold: Hold) -> str:
    """Whatever was done behind it: a deploy, most of all."""
    return f"the {'stop' if hold.stop else 'hold'} by {hold.by} ended" + (f" ({hold.reason})" if hold.reason else "")


def versioned(card: Card, seen: Observation) -> bool:
    """Whether it told another version than before on /health. The first one that is heard is no change."""
    version = seen.report.version if seen.report is not None else None
    if version is None or version == card.version:
        return False
    if card.version:
        changed(card, f"version {card.version} → {version}", seen.at)
    card.version = version
    return True


def suspects(fleet: Fleet, card: Card, incident: Incident, now: float) -> tuple[str, ...]:
    """The likely causes of its incident, each with its grounds, the best founded first."""
    return guesses(Clues(incident, now, fleet.zone, card.past, card.changes, _shares(fleet, card), fleet.bad, card.log))


def _shares(fleet: Fleet, card: Card) -> dict[str, tuple[str, ...]]:
    """What it needs, as people call it, and all who need it too."""
    graph, service = fleet.graph, card.service
    titles = {name: fleet.cards[name].service.title if name in fleet.cards else name for name in service.depends_on}
    return {title: graph.needed_by.get(name, ()) for name, title in titles.items()} | {
        f"API {name}": graph.callers.get(name, ()) for name in service.apis
    }
