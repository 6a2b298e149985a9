"""Storms: many services turned bad at once. One incident on `host`, and nothing of it is acted on (SPEC 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from watchdog.decisions.chronicle import Chronicle
from watchdog.decisions.fleet import STORM, Card, Fleet
from watchdog.decisions.speaker import Speaker
from watchdog.decisions.storm import gathering, grown, over, threshold
from watchdog.decisions.wellness import wellness
from watchdog.decisions.wishes import AskAnew, Wish
from watchdog.model.incident import Incident, Outcome, Stage
from watchdog.model.symptom import Symptom
from watchdog.state import incidents
from watchdog.state.history import fresh

AT_LEAST = 5.0
"""Seconds after which it is looked at again although nobody turned bad or good: what explained a member may be over."""

ASKED = 60.0
"""Seconds for which the answer of a dependency explains, or does not explain, a member."""


class Storms:
    """Looked at once a second and whenever somebody turned bad."""

    def __init__(
        self,
        fleet: Fleet,
        chronicle: Chronicle,
        speaker: Speaker,
        wish: Callable[[Wish], None],
        call_back: Callable[[tuple[Card, ...], str], None],
    ) -> None:
        self._fleet, self._chronicle, self._speaker, self._wish, self._call_back = fleet, chronicle, speaker, wish, call_back
        self._asked: dict[str, float] = {}
        self._turns, self._looked_at = -1, 0.0

    def look(self, now: float) -> None:
        """Begins, ends or goes on with a storm."""
        fleet, rule = self._fleet, self._fleet.settings.guards.storm
        if fleet.turns == self._turns and 0 <= now - self._looked_at < AT_LEAST:
            return
        self._turns, self._looked_at = fleet.turns, now
        turned = fleet.bad
        fleet.explained = frozenset(self._excused(now))
        if fleet.storm is not None:
            self._go_on(turned, now)
        elif len(turned) >= threshold(len(fleet.cards), rule):
            self._gather(turned, now)
        else:
            fleet.gathering = frozenset()

    def _gather(self, turned: dict[str, float], now: float) -> None:
        """Dependencies that could explain members are asked first; meanwhile nobody of them is acted on."""
        fleet, rule = self._fleet, self._fleet.settings.guards.storm
        excused = fleet.explained
        storm = gathering(turned, len(fleet.cards), excused, rule, now)
        fleet.gathering = storm.members if storm is not None else frozenset()
        if storm is None:
            return
        unsure = self._ask_first(storm.members, now)
        if unsure and gathering(turned, len(fleet.cards), excused | unsure, rule, now) is None:
            return
        fleet.storm, fleet.gathering = storm, frozenset()
        self._begin(now)

    def _go_on(self, turned: dict[str, float], now: float) -> None:
        fleet, storm = self._fleet, self._fleet.storm
        if storm is None:
            return
        if over(storm, turned):
            self.end(now, "fewer than half of its members are bad")
            return
        fleet.storm = grown(storm, turned, fleet.explained, fleet.settings.guards.storm)
        host = fleet.host.get(STORM)
        if host is not None:
            for name in sorted(fleet.storm.members - storm.members):
                self._fold(fleet.cards[name], host, now)

    def _excused(self, now: float) -> set[str]:
        """Whom an unhealthy dependency explains, who reconnects, is stopped or held, is brought up, or had its storm already."""
        excused = set()
        for name in self._fleet.bad:
            card = self._fleet.cards[name]
            theirs = card.hold is not None or card.by_hand is not None or card.engine in self._fleet.engines_down
            apart = theirs or card.bringing_up or card.reconnect is not None or card.stormed
            if apart or any(wellness(other, now)[0] is False for other in self._fleet.upstream(card.name)):
                excused.add(card.name)
        return excused

    def _ask_first(self, members: frozenset[str], now: float) -> set[str]:
        """The members whose dependencies are still being asked whether they explain them (SPEC 5, storm: asked first)."""
        above = {name: [other for other in self._fleet.upstream(name) if other.name not in members] for name in sorted(members)}
        roots = {other.name: other for others in above.values() for other in others}
        stale = tuple(sorted(name for name in roots if now - self._asked.get(name, -1e18) > ASKED))
        if stale:
            self._asked.update(dict.fromkeys(stale, now))
            self._wish(AskAnew(stale))
        out = {name for name, card in roots.items() if card.fresh is not None and card.fresh.answered_at is None}
        return {name for name, others in above.items() if any(other.name in out for other in others)}

    def _begin(self, now: float) -> None:
        fleet, storm = self._fleet, self._fleet.storm
        if storm is None:
            return
        words = f"{len(storm.members)} of {len(fleet.cards)} services went bad within {fleet.settings.guards.storm.within:.0f} s"
        incident = self._chronicle.host_opened(Symptom(STORM, storm.since, f"storm: {words}; nothing of it is acted on"), now)
        members = tuple(fleet.cards[name] for name in storm.listed if name in fleet.cards)
        self._call_back(members, "a storm has begun")
        for card in members:
            self._fold(card, incident, now)

    def _fold(self, card: Card, host: Incident, now: float) -> None:
        """A member has no alert of its own while the storm lasts (SPEC 7)."""
        own = card.incident
        if own is not None and own.stage in {Stage.OPEN, Stage.CONFIRMED, Stage.WAITING} and own.parent is None:
            waiting = incidents.waiting(own, "member of a storm", now, clock_runs=False)
            stage = Stage.OPEN if own.stage is Stage.OPEN else Stage.WAITING
            self._chronicle.incident(card, replace(waiting, stage=stage, parent=host.id), now)

    def end(self, now: float, why: str) -> None:
        """The rest is healed in graph order, and makes no new storm."""
        fleet = self._fleet
        if fleet.storm is None:
            return
        members, fleet.storm = fleet.storm.listed, None
        if STORM in fleet.host:
            after = incidents.closed(fleet.host[STORM], Outcome.SELF_RECOVERED, f"the storm is over: {why}", now)
            self._chronicle.host(after, now)
            self._speaker.host_closed(after, now)
        for name in members:
            card = fleet.cards.get(name)
            if card is None or name not in fleet.bad:
                continue
            card.stormed = True
            if card.incident is not None and card.active is None:
                again = incidents.reconfirm(card.incident, "the storm is over; confirmed anew", now)
                self._chronicle.incident(card, again, now)
                self._chronicle.history(card, fresh(card.history, now))
