"""Brings up what is new or did not survive a boot, in the order of the graph; and finishes what an earlier life began."""

from __future__ import annotations

from collections.abc import Callable

from recovery.errors import StepError
from recovery.model import Playbook, Run
from recovery.ports import Life, Runtime, Settled, Sight
from recovery.settle import settle
from watchdog.clock import Clock
from watchdog.decisions.budget import spent
from watchdog.decisions.fleet import Active, Card, Fleet
from watchdog.decisions.healer import Healer
from watchdog.decisions.leash import Leash
from watchdog.decisions.ports import Spawn
from watchdog.decisions.watch import Watch
from watchdog.decisions.wishes import BRING_UP, Heal

PLACE = 0.2
"""Seconds between looks for a free place among `guards.concurrent`."""


class BringUp:
    """No incident, but charged (SPEC 5, bring-up). remake: the playbook of an open run, with the steps with which it began."""

    def __init__(
        self, fleet: Fleet, watch: Watch, healer: Healer, clock: Clock, spawn: Spawn, remake: Callable[[Run], Playbook | None]
    ) -> None:
        self._fleet, self._watch, self._healer, self._clock, self._spawn = fleet, watch, healer, clock, spawn
        self._remake = remake

    async def begin(self, *, booted: bool) -> None:
        """Open runs are settled first, then first looks, then starts in order. booted: the host was, since the last life."""
        todo: list[Card] = []
        for name in self._fleet.graph.order(self._fleet.cards):
            card = self._fleet.cards[name]
            open_run = next((run for run in card.runs if run.open), None)
            if open_run is not None and booted and open_run.proving_at is not None:
                self._healer.drop(card, open_run, "the host was booted during its proof")
            elif open_run is not None:
                await self._settle(card, open_run)
                continue
            if card.runtime is not None and await self._first_look(card, first=self._is_first(card, booted=booted)):
                todo.append(card)
        for card in todo:
            self._spawn(self._bring_up(card), f"bring-up:{card.name}")

    def _is_first(self, card: Card, *, booted: bool) -> bool:
        """Never seen to run in this boot: new here, or gone with the boot before. What was parked stays so until a boot."""
        if card.boot and card.boot == self._fleet.boot:
            return False
        used = spent(card.charges, self._fleet.settings.guards, self._clock.now())
        return booted or (card.parking is None and used.count < used.of)

    async def _first_look(self, card: Card, *, first: bool) -> bool:
        """True when it is ours to start now."""
        sight = await self._look(card)
        if sight is None:
            return False
        held = card.hold is not None or card.by_hand is not None or self._fleet.observing
        card.bringing_up = first and not held and sight.life in {Life.STOPPED, Life.GONE}
        self._watch.sighted(card, sight, self._clock.now())
        if card.hold is not None and card.hold.stop and sight.running and card.runtime is not None:
            self._spawn(self._finish_stop(card, card.runtime, sight), f"stop:{card.name}")
        return card.bringing_up

    async def _finish_stop(self, card: Card, runtime: Runtime, sight: Sight) -> None:
        """A person's stop is on disk, but the daemon ended before the first signal."""
        try:
            await runtime.stop(sight, card.service.term_grace)
        except StepError as trouble:
            self._watch.note(card, f"could not be stopped: {trouble}", self._clock.now())

    async def bring(self, card: Card) -> None:
        """One service that was added by a reload."""
        if card.runtime is not None and await self._first_look(card, first=True):
            self._spawn(self._bring_up(card), f"bring-up:{card.name}")

    async def again(self, card: Card) -> None:
        """A container that its engine's own restart has left down."""
        if self._fleet.observing or card.hold is not None or card.active is not None:
            return
        sight = await self._look(card)
        if sight is not None and sight.at_rest:
            card.bringing_up = True
            self._watch.sighted(card, sight, self._clock.now())
            await self._bring_up(card)

    async def _bring_up(self, card: Card) -> None:
        try:
            for name in card.service.depends_on:
                await self._until_up(name)
            while self._fleet.working >= self._fleet.settings.guards.concurrent:
                await self._clock.sleep(PLACE)
            book = self._fleet.playbooks.get(BRING_UP)
            if book is not None and card.hold is None and card.by_hand is None and self._fleet.cards.get(card.name) is card:
                self._healer.begin(Heal(card.name, book))
                if card.active is not None:
                    await card.active.done.wait()
        finally:
            card.bringing_up = False
            self._watch.run_over(card, self._clock.now())

    async def _until_up(self, name: str) -> None:
        """A dependency that is being brought up as well goes first; one that failed is no reason to wait."""
        other = self._fleet.cards.get(name)
        while other is not None and other.bringing_up:
            await self._clock.sleep(PLACE)

    async def _settle(self, card: Card, run: Run) -> None:
        book = self._remake(run)
        if book is None or card.runtime is None:
            self._healer.drop(card, run, "its playbook or runtime is gone")
            return
        active = Active(run, book, Leash(), resumed=True)
        self._fleet.put_to_work(card, active)
        card.bringing_up = run.playbook == BRING_UP
        sight = await self._look(card) or Sight(Life.BUSY)
        self._watch.sighted(card, sight, self._clock.now())
        settled = await settle(run, book, self._healer.context(card, active, sight))
        self._spawn(self._resume(card, settled), f"resume:{card.name}")

    async def _resume(self, card: Card, settled: Settled) -> None:
        active = card.active
        if active is None:
            return
        try:
            await self._healer.resume(card, active, settled)
        finally:
            if card.bringing_up:
                await self._again_or_over(card)

    async def _again_or_over(self, card: Card) -> None:
        """A first start that the end of the daemon cut short is made again, for nobody has seen the bot run."""
        if card.history.running is False and card.hold is None and card.by_hand is None and self._is_first(card, booted=False):
            await self._bring_up(card)
            return
        card.bringing_up = False
        self._watch.run_over(card, self._clock.now())

    @staticmethod
    async def _look(card: Card) -> Sight | None:
        if card.runtime is None:
            return None
        try:
            return await card.runtime.look()
        except StepError:
            return None
