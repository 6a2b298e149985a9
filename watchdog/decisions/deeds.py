"""What somebody did to a container, once it is known: kept, told in one line, and looked for where nobody could hear it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace

from recovery.errors import StepError
from recovery.ports import Life
from recovery.units import format_duration
from watchdog.clock import Clock
from watchdog.decisions.fleet import Card, Fleet
from watchdog.decisions.hand import Hand
from watchdog.decisions.ports import Dock, Spawn
from watchdog.decisions.watch import Watch
from watchdog.model.container import DEPLOY, ByHand, Deed

AFTER = {
    Deed.STOPPED: "; it is left alone until somebody starts it",
    Deed.PAUSED: "; it is left alone until somebody unpauses it",
}


class Deeds:
    """hand: keeps whose it is. docks: the engine behind a socket. bring: starts what Docker's own restart left down."""

    def __init__(
        self,
        fleet: Fleet,
        watch: Watch,
        hand: Hand,
        docks: Callable[[str], Dock],
        bring: Callable[[Card], Awaitable[None]],
        clock: Clock,
        spawn: Spawn,
    ) -> None:
        self._fleet, self._watch, self.hand = fleet, watch, hand
        self._docks, self._bring, self._clock, self._spawn = docks, bring, clock, spawn

    def done(self, card: Card, hand: ByHand, ends: Collection[float] = ()) -> None:
        """What somebody did, as it is now known. ends: when they ended it on the way there."""
        now = self._clock.now()
        if hand.deed.lasts and card.by_hand is not None and (card.by_hand.deed, card.by_hand.at) == (hand.deed, hand.at):
            return
        waits = hand.deed is Deed.REMOVED
        hand = replace(hand, told=not waits)
        self.hand.takes(card, hand, now, ends)
        if waits:
            self._spawn(self.missed(card, hand), f"gone:{card.name}")
        else:
            self._watch.note(card, f"{hand.words}{AFTER.get(hand.deed, '')}", now)

    async def missed(self, card: Card, hand: ByHand) -> None:
        """A container that is gone for longer than a deploy takes."""
        await self._clock.sleep(min(DEPLOY, max(0.0, hand.at + DEPLOY - self._clock.now())))
        hand, now = card.by_hand or hand, self._clock.now()
        if card.by_hand is not None and hand.is_missed(now, DEPLOY) and self._fleet.cards.get(card.name) is card:
            self.hand.takes(card, replace(hand, told=True), now)
            self._watch.note(card, f"its container is gone for {format_duration(DEPLOY)}; nothing here can make a new one", now)

    async def look_back(self, card: Card, before: float | None = None) -> None:
        """After a gap: at rest, and by Docker's own record stopped by hand. before: what ended since then was not."""
        if card.runtime is None:
            return
        try:
            sight = await card.runtime.look()
            at_rest = sight.life is Life.STOPPED
            stopped = await self._docks(card.engine).stopped_by_hand(card.container, before) if at_rest else None
        except StepError:
            return
        now, known = self._clock.now(), card.by_hand.deed if card.by_hand is not None else None
        started_since = known is Deed.STOPPED and stopped is False
        if (sight.running and not sight.paused) or started_since:
            self.hand.gives_back(card, now)
        elif known is not None:
            return
        elif sight.paused:
            self.done(card, ByHand(Deed.PAUSED, now, "docker pause, seen afterwards"))
        elif sight.life is Life.GONE:
            self.done(card, ByHand(Deed.REMOVED, now, "there is no such container"))
        elif stopped:
            self.done(card, ByHand(Deed.STOPPED, now, "by Docker's own record"))

    def left_down(self, card: Card, *, doubtful: bool = False, before: float | None = None) -> None:
        """Its engine came back: if it is down, nothing is decided about it until that is cleared up.

        doubtful: it was stopped in the moment before the engine went, by a person or by the engine itself; or nobody has looked
        at it ever, and only an end before that moment can have been a person's.
        """
        if not card.bringing_up:
            card.bringing_up = card.history.running is not True
            self._spawn(self._clear_up(card, before, doubtful=doubtful), f"left-down:{card.name}")

    async def _clear_up(self, card: Card, before: float | None, *, doubtful: bool) -> None:
        """Docker's own policies have the word first; then, in doubt, its record of stops by hand; then we."""
        try:
            card.bringing_up = card.bringing_up or await self._rests(card)
            if not card.bringing_up:
                return
            await self._clock.sleep(max(0.0, self._fleet.settle_until - self._clock.now()))
            if self._fleet.cards.get(card.name) is not card or card.engine in self._fleet.engines_down:
                return
            if doubtful and card.by_hand is None:
                await self.look_back(card, before)
            if card.by_hand is None:
                await self._bring(card)
        finally:
            card.bringing_up = False
            self._watch.run_over(card, self._clock.now())

    @staticmethod
    async def _rests(card: Card) -> bool:
        """Seen now, for nobody may have looked since the engine came back."""
        try:
            return card.runtime is not None and (await card.runtime.look()).at_rest
        except StepError:
            return False
