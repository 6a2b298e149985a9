"""Asks: at its turn, anew for a dependent, and for a proof. What our own network hides is `unknown`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, runtime_checkable

from watchdog.clock import Clock
from watchdog.config.schema import Service
from watchdog.decisions.fleet import Card, Fleet, Fresh
from watchdog.decisions.ports import Network, Prober, Spawn
from watchdog.decisions.watch import Watch
from watchdog.model.observation import Kind, Observation

OVERSLEPT = 1.0
"""Seconds beyond the deadline of a check: then it was we who slept, and the bot is not blamed (F08)."""

GiveUp = Callable[[], None]


@runtime_checkable
class Direct(Protocol):
    """What a prober may offer beside `ask`: `told` is called with the answer, later, and no task waits for it.

    Returns how to give up; None, and nothing was asked, where only `ask` can.
    """

    def begin(self, service: Service, told: Callable[[Observation], None]) -> GiveUp | None: ...


class Asker:
    """Each question waits by itself with a deadline: a hanging check delays nobody (SPEC 2).

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
        self._direct = prober if isinstance(prober, Direct) else None
        self._missed: set[str] = set()
        self.in_flight: dict[str, GiveUp | None] = {}

    def begin(self, name: str, mono: float, spawn: Spawn) -> None:
        """A check at its turn, without a task where that can be: there are hundreds in a second. mono: now, of the tick."""
        card = self._turn_of(name)
        if card is None:
            return
        if self._direct is not None:
            give_up = self._direct.begin(card.service, partial(self._answered, card, mono, spawn))
            if give_up is not None:
                self.in_flight[name] = give_up
                return
        spawn(self.check(name), "check")

    def give_up(self) -> None:
        """Those that go without a task are forgotten; the others end with their tasks."""
        for name, give_up in tuple(self.in_flight.items()):
            if give_up is not None:
                give_up()
                del self.in_flight[name]

    async def check(self, name: str) -> None:
        """A check at its turn."""
        card = self._turn_of(name)
        if card is not None:
            self.in_flight[name] = None
            await self._finish(card, self._look(card))

    def _turn_of(self, name: str) -> Card | None:
        """Whom to ask now. Checks of one service never overlap: a turn that comes too early is taken after the first."""
        if name in self.in_flight:
            self._missed.add(name)
            return None
        return self._fleet.cards.get(name)

    def _answered(self, card: Card, began: float, spawn: Spawn, seen: Observation) -> None:
        """The answer to what `begin` asked. A fault of ours in taking it in is that of a task, as with any other check."""
        try:
            believed = self._awake(card, began, seen)
            if believed is seen and self._is_doubtful(card, seen):
                self.in_flight[card.name] = None
                spawn(self._finish(card, self._doubted(seen)), "check")
                return
            self._over(card.name)
            self._take(card, believed)
        except Exception as error:  # noqa: BLE001 - it ends where all failures of tasks end
            self._over(card.name)
            spawn(_failed(error), "check")

    async def _finish(self, card: Card, look: Coroutine[Any, Any, Observation]) -> None:
        try:
            seen = await look
        finally:
            self._over(card.name)
        self._take(card, seen)

    def _over(self, name: str) -> None:
        self.in_flight.pop(name, None)
        if name in self._missed:
            self._missed.discard(name)
            self._soon(name)

    def _take(self, card: Card, seen: Observation, *, counts: bool = True) -> None:
        """An answer for a service that was replaced meanwhile is dropped."""
        if self._fleet.cards.get(card.name) is card:
            self._watch.observe(card, seen, counts=counts)

    async def ask(self, card: Card, *, counts: bool) -> Observation:
        """A fresh answer beside the turns."""
        seen = await self._look(card)
        self._take(card, seen, counts=counts)
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
        believed = self._awake(card, began, seen)
        return await self._doubted(seen) if believed is seen and self._is_doubtful(card, seen) else believed

    def _awake(self, card: Card, began: float, seen: Observation) -> Observation:
        """What is believed of an answer to a question over which we may have slept ourselves."""
        self._clock.now()  # a wall clock that was set meanwhile is noticed before the answer is taken in
        if seen.failing and self._clock.monotonic() - began > card.service.deadline + OVERSLEPT:
            return replace(seen, kind=Kind.UNKNOWN, detail="the watchdog itself was suspended meanwhile")
        return seen

    def _is_doubtful(self, card: Card, seen: Observation) -> bool:
        """Does it say something about our own network, one way or the other?"""
        return card.leaves_host and (seen.failing or self._fleet.network_down is not None)

    async def _doubted(self, seen: Observation) -> Observation:
        """A failure is believed only while our own network is up."""
        up = not seen.failing or await self._network.up()
        self._told(up)
        return seen if up else replace(seen, kind=Kind.UNKNOWN, detail="our own network is down")


async def _failed(error: Exception) -> None:
    raise error
