"""What time alone changes: pauses and holds that end, chances that come, a wall clock that somebody sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from watchdog.alerts.causes import Change
from watchdog.decisions.chronicle import Chronicle
from watchdog.decisions.fleet import Card, Fleet
from watchdog.decisions.stages import Stages
from watchdog.decisions.suspects import changed, hold_ended
from watchdog.decisions.watch import Watch
from watchdog.decisions.wishes import BRING_UP, Heal, Wish
from watchdog.model.symptom import RESTART_WITH, Symptom
from watchdog.state import incidents
from watchdog.state.history import fresh
from watchdog.state.shift import shifted

MOST = 200
"""Decisions looked at again in one tick (about 0.1 ms each)."""


class Hours:
    """Called once a second while anything is going on; everything else comes to the watch as an event."""

    def __init__(self, fleet: Fleet, chronicle: Chronicle, stages: Stages, watch: Watch, wish: Callable[[Wish], None]) -> None:
        self._fleet, self._chronicle, self._stages, self._watch, self._wish = fleet, chronicle, stages, watch, wish
        self._turn = 0

    def tick(self, now: float) -> None:
        """What time alone changes: pauses that end, chances that come, decisions that are worth asking again."""
        for card in self._fleet.roused:
            if card.reconnect is not None and now >= card.reconnect.until:
                card.reconnect = None
                self._chronicle.history(card, fresh(card.history, now))
                self._stages.reconnected(card, now)
            if card.hold is not None and now >= card.hold.until:
                self.end_hold(card, now)
            if card.parking is not None:
                self._stages.rearm(card, now)
            if card.owed and card.active is None:
                self._follow_root(card, now)
            if not card.busy:
                self._fleet.let_sleep(card.name)
        self._review(now)

    def _review(self, now: float) -> None:
        """Decisions that time may have changed, MOST at once: five hundred that wait for a place must not stop the clock."""
        due = [card for card in self._fleet.roused if card.incident is not None and now >= card.look_at]
        turned = due[self._turn % len(due) :] + due[: self._turn % len(due)] if len(due) > MOST else due
        self._turn = self._turn + MOST if len(due) > MOST else 0
        for card in turned[:MOST]:
            self._watch.review(card, now)

    def _follow_root(self, card: Card, now: float) -> None:
        """`restart_with`: once, after the proof of what was restarted and after everything else that it needs has restarted."""
        upstream = self._fleet.upstream(card.name)
        if any(other.owed or other.active is not None for other in upstream):
            return
        words = f"{card.owed} was restarted, and this one restarts with it"
        self._watch.consider(card, Symptom(RESTART_WITH, now, words), now)

    def clock_stepped(self, seconds: float, now: float) -> None:
        """The wall clock was set: what was to come in so many seconds still comes in so many (F07)."""
        fleet = self._fleet
        fleet.settle_until += seconds
        fleet.bad = {name: at + seconds for name, at in fleet.bad.items()}
        if fleet.storm is not None:
            fleet.storm = replace(fleet.storm, since=fleet.storm.since + seconds, newest=fleet.storm.newest + seconds)
        fleet.host = {symptom: incidents.shifted(incident, seconds) for symptom, incident in fleet.host.items()}
        for card in fleet:
            self._shift(card, seconds, now)

    def _shift(self, card: Card, seconds: float, now: float) -> None:
        card.look_at = card.tell_at = 0.0
        self._chronicle.history(card, shifted(card.history, seconds))
        card.bouts = tuple((at + seconds, symptom) for at, symptom in card.bouts)
        card.changes = tuple(Change(change.at + seconds, change.what) for change in card.changes)
        card.amnesty += seconds
        if card.reconnect is not None:
            card.reconnect = replace(card.reconnect, until=card.reconnect.until + seconds)
        if card.parking is not None:
            card.parking = card.parking.shifted(seconds)
        if card.approval is not None:
            card.approval = replace(card.approval, expires_at=card.approval.expires_at + seconds)
        if card.hold is not None:
            self._chronicle.hold(card, replace(card.hold, until=card.hold.until + seconds), now)
        if card.by_hand is not None:
            card.by_hand = replace(card.by_hand, at=card.by_hand.at + seconds)
        for run in card.runs:
            self._chronicle.run(card, replace(run, started_at=run.started_at + seconds), now)
        if card.last is not None:
            card.last = incidents.shifted(card.last, seconds)
        if card.incident is not None:
            card.incident = incidents.shifted(card.incident, seconds)
            self._chronicle.store.put(card.incident)
        self._chronicle.memory(card)

    def end_hold(self, card: Card, now: float, *, bring_up: bool = True) -> None:
        """Startup grace and fresh counts (SPEC 5, step 2). What a person had stopped is brought up."""
        hold = card.hold
        if hold is None:
            return
        self._chronicle.hold(card, None, now)
        changed(card, hold_ended(hold), now)
        self._chronicle.history(card, fresh(card.history, now, card.service.startup_grace))
        self._chronicle.memory(card)
        self._stages.released(card, now)
        self._watch.weigh(card, now)
        book = self._fleet.playbooks.get(BRING_UP)
        if bring_up and hold.stop and card.history.running is False and book is not None and card.active is None:
            self._wish(Heal(card.name, book))
