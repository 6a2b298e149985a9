"""Asks: at its turn, anew for a dependent, and for a proof. What our own network hides is `unknown`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from watchdog.clock import Clock
from watchdog.decisions.fleet import Card, Fleet, Fresh
from watchdog.decisions.ports import Network, Prober
from watchdog.decisions.watch import Watch
from watchdog.model.observation import Kind, Observation

OVERSLEPT = 1.0
"""Seconds beyond the deadline of a check: then it was we who slept, and the bot is not blamed (F08)."""


class Asker:
    """Each question is a task of its own with a deadline: a hanging check delays nobody (SPEC 2).

    told: whether our own network is up, whenever it was asked. soon: this service has missed a turn.
    """

    def __init__(
        self,
        fleet: Fleet,
        watch: Watch,
        prober: Prober,
        network: Network,
        clock: Clock,
        told: Callable[[bool], None],
        soon: Callable[[str], None],
    ) -> None:
        self._fleet, self._watch, self._prober, self._network, self._clock = fleet, watch, prober, network, clock
        self._told, self._soon = told, soon
        self._missed: set[str] = set()
        self.in_flight: set[str] = set()

    async def check(self, name: str) -> None:
        """A check at its turn. Checks of one service never overlap: a turn that comes too early is taken after the first."""
        card = self._fleet.cards.get(name)
        if card is None:
            return
        if name in self.in_flight:
            self._missed.add(name)
            return
        self.in_flight.add(name)
        try:
            seen = await self._look(card)
        finally:
            self.in_flight.discard(name)
            if name in self._missed:
                self._missed.discard(name)
                self._soon(name)
        if self._fleet.cards.get(name) is card:
            self._watch.observe(card, seen)

    async def ask(self, card: Card, *, counts: bool) -> Observation:
        """A fresh answer beside the turns."""
        seen = await self._look(card)
        if self._fleet.cards.get(card.name) is card:
            self._watch.observe(card, seen, counts=counts)
        return seen

    def wants_anew(self, name: str) -> bool:
        """False while such a question is out already; True notes that it is asked now."""
        card = self._fleet.cards.get(name)
        if card is None or (card.fresh is not None and card.fresh.answered_at is None):
            return False
        card.fresh = Fresh(self._clock.now())
        return True

    async def anew(self, name: str) -> None:
        """The fresh answer that `decide` waits for (SPEC 5, step 3). Its dependents are looked at again."""
        card = self._fleet.cards.get(name)
        if card is None or card.fresh is None:
            return
        fresh = card.fresh
        await self.ask(card, counts=False)
        fresh.answered_at = self._clock.now()
        for dependent in self._fleet.graph.downstream(name):
            other = self._fleet.cards.get(dependent)
            if other is not None and other.incident is not None:
                self._watch.review(other, fresh.answered_at)

    async def _look(self, card: Card) -> Observation:
        began = self._clock.monotonic()
        seen = await self._prober.ask(card.service)
        self._clock.now()  # a wall clock that was set meanwhile is noticed before the answer is taken in
        if seen.failing and self._clock.monotonic() - began > card.service.deadline + OVERSLEPT:
            return replace(seen, kind=Kind.UNKNOWN, detail="the watchdog itself was suspended meanwhile")
        if not card.leaves_host or (not seen.failing and self._fleet.network_down is None):
            return seen
        up = not seen.failing or await self._network.up()
        self._told(up)
        return seen if up else replace(seen, kind=Kind.UNKNOWN, detail="our own network is down")
