"""A reload: services are matched by name and keep their state; what changed is told (SPEC 3)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import fields

from recovery.model import Playbook
from recovery.ports import Runtime, Stop
from watchdog.clock import Clock
from watchdog.config.schema import Service, Settings
from watchdog.decisions.chronicle import Chronicle
from watchdog.decisions.fleet import Card, Fleet
from watchdog.decisions.healer import wait_done
from watchdog.decisions.stages import Stages
from watchdog.decisions.suspects import changed
from watchdog.decisions.watch import Watch
from watchdog.graph.build import build
from watchdog.model.incident import Outcome
from watchdog.state.history import fresh, given_back

SAFE_POINT = 90.0
"""Seconds within which a run reaches its safe point."""


class Reconfigure:
    """Runs at work keep the steps with which they began; only those of changed or removed services end early."""

    def __init__(
        self,
        fleet: Fleet,
        chronicle: Chronicle,
        watch: Watch,
        stages: Stages,
        clock: Clock,
        new_card: Callable[[Service, Runtime | None, float], Card],
        refollow: Callable[[list[Card]], Awaitable[None]],
    ) -> None:
        self._fleet, self._chronicle, self._watch, self._stages = fleet, chronicle, watch, stages
        self._clock, self._new_card, self._refollow = clock, new_card, refollow

    async def apply(
        self, settings: Settings, playbooks: Mapping[str, Playbook], runtimes: Callable[[Service], Runtime | None]
    ) -> str:
        """What was added, removed and changed, in one line."""
        fleet, old = self._fleet, self._fleet.settings.services
        removed = [name for name in old if name not in settings.services]
        added = [name for name in settings.services if name not in old]
        kept = [name for name in settings.services if name in old]
        touched = [name for name in kept if _rewired(old[name], settings.services[name])]
        changed = [name for name in kept if old[name] != settings.services[name]]
        await self._call_back([fleet.cards[name] for name in (*removed, *touched)])
        now = self._clock.now()
        left = [f"{name} (it keeps running)" if fleet.cards[name].history.running else name for name in removed]
        for name in removed:
            self._remove(fleet.cards.pop(name), now)
            fleet.turn_good(name)
            fleet.let_sleep(name)
        for name in kept:
            self._take_over(fleet.cards[name], settings.services[name], name in touched, runtimes, now)
        new = [self._new_card(settings.services[name], runtimes(settings.services[name]), now) for name in added]
        fleet.cards.update({card.name: card for card in new})
        others = _others(fleet.settings, settings, fleet.playbooks, playbooks)
        fleet.settings, fleet.playbooks, fleet.graph = settings, playbooks, build(settings.services)
        fleet.config_errors, fleet.config_loaded_at = (), now
        fleet.stir.set()
        await self._refollow(new)
        return _words(added, left, changed, others)

    async def _call_back(self, cards: list[Card]) -> None:
        for card in cards:
            if card.active is not None:
                card.active.leash.call(Stop.SUPERSEDED, "the configuration of this service has changed")
        for card in cards:
            await wait_done(card.active, SAFE_POINT)

    def _remove(self, card: Card, now: float) -> None:
        if card.incident is not None:
            self._stages.close(card, Outcome.REMOVED, "removed from the configuration", now)
        card.changed.set()

    def _take_over(
        self, card: Card, service: Service, rewired: bool, runtimes: Callable[[Service], Runtime | None], now: float
    ) -> None:
        before, card.service = card.service, service
        if before != service:
            changed(card, "its configuration was changed by a reload", now)
            self._chronicle.memory(card)
        if rewired and before.runtime != service.runtime:
            if card.by_hand is not None:  # that was another container
                self._chronicle.history(card, given_back(card.history, now, service.startup_grace))
            card.by_hand, card.touched = None, ""
        if rewired:
            self._chronicle.history(card, fresh(card.history, now))
            self._stages.rewired(card, now)
            if before.runtime != service.runtime:
                card.runtime = runtimes(service)
                card.changed.set()


def _rewired(before: Service, after: Service) -> bool:
    return before.probe != after.probe or before.runtime != after.runtime


def _others(old: Settings, new: Settings, old_books: Mapping[str, Playbook], new_books: Mapping[str, Playbook]) -> list[str]:
    """What changed beside the services, in the words of the file."""
    keys = [field.name for field in fields(new) if field.name not in {"services", "playbooks"}]
    changed = [key for key in keys if getattr(old, key) != getattr(new, key)]
    books = {name: book.digest for name, book in old_books.items()} != {name: book.digest for name, book in new_books.items()}
    return [*changed, *(["playbooks"] if books else [])]


def _words(added: list[str], removed: list[str], changed: list[str], others: list[str]) -> str:
    told = (("added", added), ("removed", removed), ("changed", [*changed, *others]))
    return "; ".join(f"{word} {', '.join(names)}" for word, names in told if names) or "nothing changed"
