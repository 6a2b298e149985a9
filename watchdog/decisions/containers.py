"""Docker as we hear it: what somebody did to a container by hand, what killed it, and whether the engine is there (SPEC 5).

The engine's stream is followed for ever. A kill, a stop, a pause or a removal is never ours (we use none of these calls), so it
calls a run back at once and is judged a second later. What Docker stops while it goes down or comes up is not a person's: at the
judgement it does not answer, or has only just returned. Its own record of stops by hand is evidence where nobody could judge: for
what happened while we were away, or in the moment before it went. After a crash it says so of all that ran, and is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from recovery.errors import StepError
from recovery.ports import Life, Sight, Stop
from watchdog.clock import Clock
from watchdog.decisions.chronicle import Chronicle
from watchdog.decisions.deeds import Deeds
from watchdog.decisions.engines import Engines
from watchdog.decisions.fleet import Card, Fleet
from watchdog.decisions.ports import Dock, Keep, Loaded, Spawn
from watchdog.decisions.watch import Watch
from watchdog.decisions.wishes import AskSoon, Wish
from watchdog.model.container import Act, Deed, Happening
from watchdog.model.records import Meta
from watchdog.state.dealings import JUDGED, NOTHING, RESTART, Dealings, ending, ends, follow, judge, settled
from watchdog.state.ear import Ear

COMES_UP = 1.5
"""Seconds after its return in which a stop is still the engine's own: it ends what outlived it before it answers."""

AGAIN = 1.0
"""Seconds between two tries to open the stream."""

TOLD = frozenset({Act.KILL, Act.STOP, Act.PAUSE, Act.UNPAUSE, Act.RESTART, Act.OOM, Act.DESTROY, Act.CREATE, Act.RENAME})
"""Events worth a line in the timeline; starts and ends are told by whoever saw the process."""

Place = tuple[str, str]
"""An engine and a container's name: what a reload may give a service anew."""


class Containers:
    """One follower per engine. docks: the engine behind a socket. keep: begins a loop again that failed.

    strangers: called when any container came or went; one of them may want to be a service.
    """

    def __init__(
        self,
        fleet: Fleet,
        chronicle: Chronicle,
        watch: Watch,
        deeds: Deeds,
        engines: Engines,
        docks: Callable[[str], Dock],
        clock: Clock,
        spawn: Spawn,
        keep: Keep,
        wish: Callable[[Wish], None],
        strangers: Callable[[], None],
        loaded: Loaded,
    ) -> None:
        self._fleet, self._chronicle, self._watch, self._deeds, self._engines = fleet, chronicle, watch, deeds, engines
        self._docks, self._clock, self._spawn, self._keep = docks, clock, spawn, keep
        self._wish, self._strangers = wish, strangers
        self._meta: Mapping[str, str] = loaded.meta
        self._ears: dict[str, Ear] = {}
        self._dealings: dict[Place, Dealings] = {}
        self._newest: dict[Place, float] = {}
        self._begun: dict[Place, float] = {}
        self._returned: dict[str, float] = {}
        self._doubtful: set[Place] = set()
        self._unseen: set[Place] = set()
        self._met: set[tuple[str, Place]] = set()
        self._followed: set[str] = set()
        self._pulsed: set[str] = set()

    async def begin(self) -> None:
        """Before anything is brought up: what was stopped by hand while nobody looked."""
        await self.meet()
        self._engines.over(self._clock.now())
        for card in self._fleet:
            if card.by_hand is not None and card.by_hand.deed is Deed.REMOVED and not card.by_hand.told:
                self._spawn(self._deeds.missed(card, card.by_hand), f"gone:{card.name}")

    async def meet(self) -> None:
        """Looks at containers for the first time, before anything is done to them: somebody may have stopped them on purpose.

        What was known of those that nobody here follows any more is let go: if they come back, much may have happened.
        """
        places = {_place(card) for card in self._fleet if card.engine}
        self._met &= {(card.name, _place(card)) for card in self._fleet if card.engine}
        self._dealings = {place: each for place, each in self._dealings.items() if place in places}
        for host in self._fleet.engines:
            new = [card for card in self._fleet.of_engine(host) if (card.name, _place(card)) not in self._met]
            if not new:
                continue
            self._ear(host)
            self._met |= {(card.name, _place(card)) for card in new}
            try:
                await self._docks(host).ping()
            except StepError as trouble:
                self._unseen |= {_place(card) for card in new}
                self._down(host, str(trouble))
                continue
            for card in new:
                await self._deeds.look_back(card)

    def follow_all(self) -> None:
        """Follows the engines of today's configuration; one that no service needs any more is let go by its own tasks."""
        for host in self._fleet.engines:
            if host not in self._followed:
                self._followed.add(host)
                self._spawn(self._keep(partial(self._follow, host), "docker"), f"docker:{host}")
            if host not in self._pulsed:
                self._pulsed.add(host)
                self._spawn(self._keep(partial(self._pulse, host), "docker-pulse"), f"docker-pulse:{host}")

    async def _follow(self, host: str) -> None:
        dock = self._docks(host)
        while host in self._fleet.engines:
            try:
                await dock.ping()
                await self._up(host)
                async for seen in dock.happenings(self._ear(host).seen / 1e9):
                    self.take(host, seen)
                await dock.ping()  # a stream that was only cut is opened again, and the engine was never away
            except StepError as trouble:
                self._down(host, str(trouble))
            await self._clock.sleep(AGAIN)
        self._followed.discard(host)
        self._engines.dropped(host, self._clock.now())

    async def _pulse(self, host: str) -> None:
        """A stream says nothing while the engine hangs, nor when nobody needs it any more."""
        while host in self._fleet.engines:
            await self._clock.sleep(self._engines.pulse)
            if host in self._fleet.engines_down:
                continue
            try:
                await self._docks(host).ping()
            except StepError as trouble:
                self._hangs(host, trouble)
        self._pulsed.discard(host)
        self._docks(host).drop()

    def _hangs(self, host: str, trouble: StepError) -> None:
        """It does not answer, and its stream may never end by itself."""
        self._down(host, str(trouble))
        self._docks(host).drop()

    def _ear(self, host: str) -> Ear:
        """It hears from the last event of an earlier life on, the first time from now on."""
        if host not in self._ears:
            try:
                before = int(self._meta.get(_meta(host), ""))
            except ValueError:
                before = 0
            self._ears[host] = Ear(before or int(self._clock.now() * 1e9), before)
        return self._ears[host]

    def take(self, host: str, seen: Happening) -> None:
        """One event, once."""
        if not self._ear(host).is_new(seen):
            return
        if seen.act in (Act.START, Act.DESTROY, Act.RENAME):
            self._strangers()
        for card in self._cards(host, seen):
            self._hear(host, card, seen)

    def _hear(self, host: str, card: Card, seen: Happening) -> None:
        place = _place(card)
        self._chronicle.store.put(Meta(_meta(host), str(seen.nano)))
        self._dealings[place] = follow(self._dealings.get(place, NOTHING), seen, card.container)
        if seen.act in TOLD:
            self._chronicle.entry(card.incident, seen.at, "docker", _words(seen))
        if ends(seen):
            card.touched = _words(seen)
            if card.active is not None:
                card.active.leash.call(Stop.BY_HAND, f"somebody has it in hand (docker: {_words(seen)})")
        self._react(card, seen)
        if seen.act not in (Act.HEALTH, Act.OOM):
            self._newest[place] = self._clock.monotonic()
            self._spawn(self._judge(card, place), f"judge:{card.name}")

    def _react(self, card: Card, seen: Happening) -> None:
        if seen.act is Act.OOM:
            self._watch.starved(card, seen.at)
        elif seen.act is Act.HEALTH and card.service.probe.docker:
            self._wish(AskSoon(card.name, 0.0))
        elif seen.act in (Act.START, Act.UNPAUSE):
            self._deeds.hand.gives_back(card, self._clock.now())
            if seen.act is Act.START:
                self._begun[_place(card)] = seen.at
        elif seen.act is Act.DIE:
            begun, exits = self._begun.pop(_place(card), None), card.history.life.exits
            unseen = begun is not None and not (exits and exits[-1].at >= begun)
            if unseen and card.history.running is not True:  # it ended before anybody could look
                self._watch.flashed(card, Sight(Life.BUSY, exit_code=seen.code), self._clock.now())
        card.changed.set()

    async def _judge(self, card: Card, place: Place) -> None:
        """A second after the newest event; of a row of events only the last is judged."""
        await self._clock.sleep(JUDGED)
        quiet = self._clock.monotonic() - self._newest.get(place, 0.0) >= JUDGED * 0.9
        dealings = self._dealings.get(place, NOTHING)
        if not quiet or not self._is_at(card, place):
            return
        hand = judge(dealings, card.service.term_grace)
        if hand is None and (left := ending(dealings, self._clock.now())):
            await self._clock.sleep(left)  # `docker stop` is at work, and its patience is not ours to cut short
            if self._dealings.get(place) is not dealings or not self._is_at(card, place):
                return
        if hand is None:
            card.touched = ""
            self._dealings[place] = replace(settled(dealings), kills=dealings.kills)
            self._watch.review(card, self._clock.now())
            return
        try:
            await self._docks(place[0]).ping()
            lives = hand.deed is Deed.REMOVED and await self._lives(card)
        except StepError as trouble:
            self._hangs(place[0], trouble)  # Docker itself is going down: it stops what runs, and that is no person
            return
        if not self._is_at(card, place) or self._dealings.get(place) is not dealings:
            return  # something happened while we asked, and will be judged
        card.touched, self._dealings[place] = "", settled(dealings)
        if lives:
            self._dealings[place] = replace(NOTHING, container=dealings.container)
            self._deeds.hand.gives_back(card, self._clock.now())
            hand = replace(hand, deed=Deed.RECREATED, how="another container under the same name")
        ended, by_itself = max(dealings.stopped or 0.0, dealings.dead or 0.0), hand.deed in (Deed.STOPPED, Deed.RESTARTED)
        if by_itself and hand.how != RESTART and ended < self._returned.get(place[0], 0.0) + COMES_UP:
            self._deeds.left_down(card)  # it came up, and stops what outlived its end
            return
        self._deeds.done(card, hand, dealings.ended)

    def _is_at(self, card: Card, place: Place) -> bool:
        """A reload may have removed it, or given it another container."""
        return self._fleet.cards.get(card.name) is card and _place(card) == place

    @staticmethod
    async def _lives(card: Card) -> bool:
        """Something runs under its name: one container was renamed away and another one took its place."""
        return card.runtime is not None and (await card.runtime.look()).running

    async def _up(self, host: str) -> None:
        """The engine is back: what it stopped itself is brought up, what a person had stopped is not."""
        if host not in self._fleet.engines_down:
            return
        away = self._fleet.engines_down[host]
        anew = await self._docks(host).forgot(away)
        for card in self._fleet.of_engine(host) if not anew else ():
            if _place(card) in self._doubtful | self._unseen:
                await self._deeds.look_back(card)
        now = self._clock.now()
        self._engines.back(host, now, anew=anew)
        if anew:
            self._returned[host] = now
        self._strangers()  # nobody could look for them meanwhile
        for card in self._fleet.of_engine(host):
            card.changed.set()
            place = _place(card)
            if anew and card.by_hand is None and card.active is None:
                unseen = place in self._unseen
                self._deeds.left_down(card, doubtful=unseen or place in self._doubtful, before=away if unseen else None)
            self._doubtful.discard(place)
            self._unseen.discard(place)

    def _down(self, host: str, why: str) -> None:
        if host in self._fleet.engines_down or host not in self._fleet.engines:
            return
        self._engines.away(host, why, self._clock.now())
        for card in self._fleet.of_engine(host):
            dealings = self._dealings.pop(_place(card), NOTHING)  # what it did while it went down is its own
            if judge(dealings, card.service.term_grace) is not None:
                self._doubtful.add(_place(card))
            card.touched = ""
            if card.active is not None:
                card.active.leash.call(Stop.CANCEL, "Docker does not answer")

    def _cards(self, host: str, seen: Happening) -> list[Card]:
        """Two for a rename from one service's name to another's: one has lost its container, one has got it."""
        named = {card.container: card for card in self._fleet.of_engine(host)}
        return [named[name] for name in (seen.old, seen.name) if name in named]


def _place(card: Card) -> Place:
    return card.engine, card.container


def _meta(host: str) -> str:
    return f"docker_seen:{host}"


def _words(seen: Happening) -> str:
    """`kill (signal 9)`, `rename (was bot)`."""
    more = f" (signal {seen.signal})" if seen.signal is not None else f" (was {seen.old})" if seen.old else ""
    return f"{seen.act}{more}"
