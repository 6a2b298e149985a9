"""Follows the process of each service: starts and ends are known when they happen, not when a check comes round."""

from __future__ import annotations

import asyncio

from recovery.errors import StepError
from recovery.ports import Runtime, Sight
from watchdog.clock import Clock
from watchdog.decisions.fleet import Card, Fleet
from watchdog.decisions.ports import Spawn
from watchdog.decisions.watch import Watch

LOOK_AGAIN = 1.0
"""Seconds between looks at what does not run: somebody else may start it."""


class Lives:
    """One task per service with a runtime."""

    def __init__(self, fleet: Fleet, watch: Watch, clock: Clock, spawn: Spawn) -> None:
        self._fleet, self._watch, self._clock, self._spawn = fleet, watch, clock, spawn
        self._followed: dict[str, Runtime] = {}

    def follow_all(self) -> None:
        """Follows what has a runtime; a runtime that was replaced by a reload is let go by its own task."""
        for card in self._fleet:
            runtime = card.runtime
            if runtime is not None and self._followed.get(card.name) is not runtime:
                self._followed[card.name] = runtime
                self._spawn(self._follow(card, runtime), f"life:{card.name}")

    async def _follow(self, card: Card, runtime: Runtime) -> None:
        while self._is_ours(card, runtime):
            sight = await self._look(runtime)
            if sight is not None and self._is_ours(card, runtime):
                self._watch.sighted(card, sight, self._clock.now())
            if sight is not None and sight.running:
                await runtime.gone(sight)
            else:
                await self._rest(card)

    def _is_ours(self, card: Card, runtime: Runtime) -> bool:
        """A reload may have removed the service, or given it another way of running, while we looked."""
        return self._fleet.cards.get(card.name) is card and card.runtime is runtime

    async def _rest(self, card: Card) -> None:
        """Until the next look is worth it: at once when somebody here changed something."""
        card.changed.clear()
        try:
            async with asyncio.timeout(LOOK_AGAIN):
                await card.changed.wait()
        except TimeoutError:
            return

    @staticmethod
    async def _look(runtime: Runtime) -> Sight | None:
        try:
            return await runtime.look()
        except StepError:
            return None
