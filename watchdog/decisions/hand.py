"""What somebody beside us does to a container: while it lasts it is theirs, and what it made ill was meant (SPEC 5, step 2)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from recovery.ports import Stop
from watchdog.decisions.chronicle import Chronicle
from watchdog.decisions.fleet import Card, Fleet
from watchdog.decisions.stages import Stages
from watchdog.decisions.suspects import changed
from watchdog.decisions.watch import Watch
from watchdog.model.container import ByHand
from watchdog.model.decision import Ruling, Step, Verdict
from watchdog.model.incident import Outcome
from watchdog.state.history import given_back, left
from watchdog.state.life import excused

THEIRS = 30.0
"""Seconds around a deed within which an end of the process belongs to it."""


class Hand:
    """Every change of `card.by_hand` passes through here."""

    def __init__(self, fleet: Fleet, chronicle: Chronicle, stages: Stages, watch: Watch) -> None:
        self._fleet, self._chronicle, self._stages, self._watch = fleet, chronicle, stages, watch

    def takes(self, card: Card, hand: ByHand, now: float, ends: Collection[float] = ()) -> None:
        """They stopped, paused or removed it; or it is over already, like a restart. ends: when they ended it before."""
        if hand.deed.lasts:
            card.by_hand = hand
            if card.active is not None:
                card.active.leash.call(Stop.BY_HAND, hand.words)
            self._chronicle.history(card, left(card.history, min(hand.at, now), hand.words))
        changed(card, hand.words, min(hand.at, now))
        life = card.history.life
        if life.exits and abs(life.exits[-1].at - hand.at) < THEIRS:
            self._chronicle.history(card, replace(card.history, life=excused(life, ends)))
        if card.incident is not None and hand.deed.lasts and card.active is None:
            self._stages.close(card, Outcome.IGNORED, hand.words, now)
        elif card.incident is not None:
            self._chronicle.incident(card, replace(card.incident, cause=hand.words), now)
        self._chronicle.decision(card, (Ruling(Step.OPERATOR, Verdict.WAIT, hand.words),), now)
        self._changed(card, now)

    def gives_back(self, card: Card, now: float) -> None:
        """It runs again, whoever started it: startup grace and fresh counts, as after a hold."""
        if card.by_hand is None:
            return
        card.by_hand = None
        self._chronicle.history(card, given_back(card.history, now, card.service.startup_grace))
        self._stages.released(card, now)
        self._changed(card, now)

    def _changed(self, card: Card, now: float) -> None:
        self._chronicle.memory(card)
        self._fleet.rouse(card)
        self._watch.weigh(card, now)
        self._watch.review(card, now)
