"""Docker as we hear it: what somebody did to a container by hand, what killed it, and whether the engine is there (SPEC 5).

The engine's stream is followed for ever. A kill, a stop, a pause or a removal is never ours (we use none of these calls), so it
calls a run back at once and is judged a second later. What Docker stops while it goes down or comes up is not a person's: at the
judgement it does not answer, or has only just returned. Its own record of stops by hand is evidence for what happened while we
were away; after a crash of the engine it says so of everything that ran, and is not believed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace

from recovery.errors import StepError
from recovery.ports import Life, Sight, Stop
from recovery.units import format_duration
from watchdog.clock import Clock
from watchdog.decisions.chronicle import Chronicle
from watchdog.decisions.engines import Engines
from watchdog.decisions.fleet import Card, Fleet
from watchdog.decisions.hand import Hand
from watchdog.decisions.healer import Spawn
from watchdog.decisions.operator import DEPLOY
from watchdog.decisions.ports import Dock, Loaded
from watchdog.decisions.watch import Watch
from watchdog.decisions.wishes import AskSoon, Wish
from watchdog.model.container import Act, ByHand, Deed, Happening
from watchdog.model.records import Meta
from watchdog.state.dealings import JUDGED, NOTHING, Dealings, ends, follow, judge, settled

COMES_UP = 5.0
"""Seconds after its return in which a stop is still the engine's own."""

AGAIN = 1.0
"""Seconds between two tries to open the stream."""

TOLD = frozenset({Act.KILL, Act.STOP, Act.PAUSE, Act.UNPAUSE, Act.RESTART, Act.OOM, Act.DESTROY, Act.CREATE, Act.RENAME})
"""Events worth a line in the timeline; starts and ends are told by whoever saw the process."""


class Containers:
    """One follower per engine. docks: the engine behind a socket. bring: starts what Docker's own restart left down.

    strangers: called when any container came or went; one of them may want to be a service.
    """

    def __init__(
        self,
        fleet: Fleet,
        chronicle: Chronicle,
        watch: Watch,
        hand: Hand,
        engines: Engines,
        docks: Callable[[str], Dock],
        bring: Callable[[Card], Awaitable[None]],
        clock: Clock,
        spawn: Spawn,
        wish: Callable[[Wish], None],
        strangers: Callable[[], None],
        loaded: Loaded,
    ) -> None:
        self._fleet, self._chronicle, self._watch, self._hand, self._engines = fleet, chronicle, watch, hand, engines
        self._docks, self._bring, self._clock, self._spawn, self._wish = docks, bring, clock, spawn, wish
        self._strangers = strangers
        self._meta: Mapping[str, str] = loaded.meta
        self._seen: dict[str, int] = {}
        self._dealings: dict[str, Dealings] = {}
        self._newest: dict[str, float] = {}
        self._before: dict[str, str] = {}
        self._returned: dict[str, float] = {}
        self._followed: set[str] = set()

    async def begin(self) -> None:
        """Before anything is brought up: what was stopped by hand while nobody looked."""
        for host in self._fleet.engines:
            try:
                await self._docks(host).ping()
            except StepError as trouble:
                self._down(host, str(trouble))
                continue
            await self.met(self._fleet.of_engine(host))

    async def met(self, cards: Iterable[Card]) -> None:
        """Services that are new to us, or that we come back to."""
        for card in cards:
            if card.engine and card.engine not in self._fleet.engines_down:
                await self._look_back(card, card.engine)

    def follow_all(self) -> None:
        """Follows the engines of today's configuration; one that no service needs any more is let go by its own task."""
        for host in self._fleet.engines:
            if host not in self._followed:
                self._followed.add(host)
                self._spawn(self._follow(host), f"docker:{host}")
                self._spawn(self._pulse(host), f"docker-pulse:{host}")

    async def _follow(self, host: str) -> None:
        dock = self._docks(host)
        while host in self._fleet.engines:
            try:
                await dock.ping()
                await self._up(host)
                async for seen in dock.happenings(self._since(host)):
                    self.take(host, seen)
                await dock.ping()  # a stream that was only cut is opened again, and the engine was never away
            except StepError as trouble:
                self._down(host, str(trouble))
            await self._clock.sleep(AGAIN)
        self._followed.discard(host)

    async def _pulse(self, host: str) -> None:
        """A stream says nothing while the engine hangs."""
        while host in self._fleet.engines:
            await self._clock.sleep(self._engines.pulse)
            if host in self._fleet.engines_down:
                continue
            try:
                await self._docks(host).ping()
            except StepError as trouble:
                self._down(host, str(trouble))
                self._docks(host).drop()

    def _since(self, host: str) -> float | None:
        """Wall seconds of the last event that was taken in; None when there was none, then only news count."""
        try:
            nano = self._seen.get(host) or int(self._meta.get(_meta(host), ""))
        except ValueError:
            return None
        self._seen[host] = nano
        return nano / 1e9

    def take(self, host: str, seen: Happening) -> None:
        """One event, once."""
        if seen.nano <= self._seen.get(host, 0):
            return
        self._seen[host] = seen.nano
        if seen.act in (Act.START, Act.DESTROY, Act.RENAME):
            self._strangers()
        card = self._card(host, seen)
        if card is None:
            return
        name = card.container
        self._chronicle.store.put(Meta(_meta(host), str(seen.nano)))
        self._dealings[card.name] = follow(self._dealings.get(card.name, NOTHING), seen, name)
        self._newest[card.name] = self._clock.monotonic()
        if seen.act in TOLD:
            self._chronicle.entry(card.incident, seen.at, "docker", _words(seen))
        if ends(seen):
            card.touched = _words(seen)
        if card.active is not None and ends(seen):
            card.active.leash.call(Stop.BY_HAND, f"somebody has it in hand (docker: {_words(seen)})")
        self._react(card, seen)
        if seen.act not in (Act.HEALTH, Act.OOM):
            self._spawn(self._judge(card, host), f"judge:{card.name}")

    def _react(self, card: Card, seen: Happening) -> None:
        if seen.act is Act.OOM:
            self._watch.starved(card, seen.at)
        elif seen.act is Act.HEALTH and card.service.probe.docker:
            self._wish(AskSoon(card.name, 0.0))
        elif seen.act is Act.START:
            self._before[card.name] = card.history.instance
            self._hand.gives_back(card, self._clock.now())
        elif seen.act is Act.UNPAUSE:
            self._hand.gives_back(card, self._clock.now())
        elif seen.act is Act.DIE:
            unseen = self._before.pop(card.name, None) == card.history.instance
            if unseen and card.history.running is not True:  # what was started ended before anybody could look
                self._watch.flashed(card, Sight(Life.BUSY, exit_code=seen.code), self._clock.now())
        card.changed.set()

    async def _judge(self, card: Card, host: str) -> None:
        """A second after the newest event; of a row of events only the last is judged."""
        await self._clock.sleep(JUDGED)
        quiet = self._clock.monotonic() - self._newest.get(card.name, 0.0) >= JUDGED * 0.9
        dealings = self._dealings.get(card.name, NOTHING)
        if not quiet or self._fleet.cards.get(card.name) is not card:
            return
        card.touched = ""
        hand = judge(dealings, card.service.term_grace)
        if hand is None:
            self._watch.review(card, self._clock.now())
            return
        try:
            await self._docks(host).ping()
        except StepError:
            return  # Docker itself is going down: it stops what runs, and that is no person
        if self._dealings.get(card.name) is not dealings:
            return  # judged already, or more has happened
        self._dealings[card.name] = settled(dealings)
        coming_up = hand.at < self._returned.get(host, 0.0) + COMES_UP
        if hand.deed is Deed.STOPPED and (host in self._fleet.engines_down or coming_up):
            return  # it has ended meanwhile, or stops what outlived its end before it starts that anew
        self._done(card, hand)

    def _done(self, card: Card, hand: ByHand) -> None:
        """What somebody did, as it is now known."""
        now = self._clock.now()
        if hand.deed.lasts and card.by_hand is not None and (card.by_hand.deed, card.by_hand.at) == (hand.deed, hand.at):
            return
        waits = hand.deed is Deed.REMOVED
        self._hand.takes(card, replace(hand, told=not waits), now)
        if waits:
            self._spawn(self._missed(card, hand), f"gone:{card.name}")
            return
        after = "; it is left alone until somebody starts it" if hand.deed is Deed.STOPPED else ""
        after = "; it is left alone until somebody unpauses it" if hand.deed is Deed.PAUSED else after
        self._watch.note(card, f"{hand.words}{after}", now)

    async def _missed(self, card: Card, hand: ByHand) -> None:
        """A container that is gone for longer than a deploy takes."""
        await self._clock.sleep(DEPLOY)
        if card.by_hand is not None and card.by_hand.at == hand.at and self._fleet.cards.get(card.name) is card:
            now = self._clock.now()
            self._hand.takes(card, replace(hand, told=True), now)
            self._watch.note(card, f"its container is gone for {format_duration(DEPLOY)}; nothing here can make a new one", now)

    async def _look_back(self, card: Card, host: str) -> None:
        """After a gap: at rest, and by Docker's own record stopped by hand."""
        if card.runtime is None:
            return
        try:
            sight = await card.runtime.look()
            if sight.running and not sight.paused:
                self._hand.gives_back(card, self._clock.now())
            elif card.by_hand is not None:
                return
            elif sight.paused:
                self._done(card, ByHand(Deed.PAUSED, self._clock.now(), "docker pause, seen afterwards"))
            elif sight.life is Life.GONE:
                self._done(card, ByHand(Deed.REMOVED, self._clock.now(), "there is no such container"))
            elif sight.life is Life.STOPPED and await self._docks(host).stopped_by_hand(card.container):
                self._done(card, ByHand(Deed.STOPPED, self._clock.now(), "by Docker's own record"))
        except StepError:
            return

    async def _up(self, host: str) -> None:
        """The engine is back: what it stopped itself is brought up, what a person had stopped is not."""
        if host not in self._fleet.engines_down:
            return
        anew = await self._docks(host).forgot(self._fleet.engines_down[host])
        now = self._clock.now()
        self._engines.back(host, now, anew=anew)
        if anew:
            self._returned[host] = now
        for card in self._fleet.of_engine(host):
            if anew and card.by_hand is None and card.active is None and await _at_rest(card):
                card.bringing_up = True
                self._spawn(self._left_down(card, host), f"left-down:{card.name}")
            card.changed.set()

    async def _left_down(self, card: Card, host: str) -> None:
        """Docker's own policies have the word first, then we. While it was away, nobody could stop anything through it."""
        try:
            await self._clock.sleep(max(0.0, self._fleet.settle_until - self._clock.now()))
            if self._fleet.cards.get(card.name) is not card or host in self._fleet.engines_down:
                return
            if card.by_hand is None:
                await self._bring(card)
        finally:
            card.bringing_up = False
            self._watch.run_over(card, self._clock.now())

    def _down(self, host: str, why: str) -> None:
        if host in self._fleet.engines_down:
            return
        self._engines.away(host, why, self._clock.now())
        for card in self._fleet.of_engine(host):
            if card.active is not None:
                card.active.leash.call(Stop.CANCEL, "Docker does not answer")

    def _card(self, host: str, seen: Happening) -> Card | None:
        named = {card.container: card for card in self._fleet.of_engine(host)}
        return named.get(seen.name) or named.get(seen.old)


async def _at_rest(card: Card) -> bool:
    try:
        return card.runtime is not None and (await card.runtime.look()).at_rest
    except StepError:
        return False


def _meta(host: str) -> str:
    return f"docker_seen:{host}"


def _words(seen: Happening) -> str:
    """`kill (signal 9)`, `rename (was bot)`."""
    more = f" (signal {seen.signal})" if seen.signal is not None else f" (was {seen.old})" if seen.old else ""
    return f"{seen.act}{more}"
