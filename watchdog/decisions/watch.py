"""The watch: takes in what was observed, asks `decide`, and wishes. It never waits and never acts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf

from recovery.model import Effect
from recovery.ports import Life, Sight
from watchdog.config.schema import Edge
from watchdog.decisions.chronicle import Chronicle
from watchdog.decisions.decide import decide
from watchdog.decisions.fleet import Card, Fleet
from watchdog.decisions.gather import gather
from watchdog.decisions.lead import lead, worth_a_look
from watchdog.decisions.stages import Stages
from watchdog.decisions.wellness import wellness
from watchdog.decisions.wishes import AskAnew, AskSoon, Capture, Wish
from watchdog.model.decision import Step
from watchdog.model.incident import Stage
from watchdog.model.observation import Kind, Observation
from watchdog.model.symptom import Symptom
from watchdog.state.history import ended, fold, muted, seen_running, started
from watchdog.state.life import end_words, exit_words, starved
from watchdog.state.load import drawn
from watchdog.state.rollup import Rollups
from watchdog.symptoms.degraded import repeated
from watchdog.symptoms.good import good
from watchdog.symptoms.overload import lasts

ASK_AGAIN = 5.0
"""Seconds after which a service that called itself critical is asked once more (SPEC 4)."""

MISCONFIGURED = 3
"""Misconfigured answers in a row that are worth a soft line (SPEC 2)."""

SIGNS = 12
"""Findings kept for the message of an incident: the first half and the newest half."""

SUPERVISOR = 30.0
"""Seconds that a restart policy has to bring its container back (SPEC 4, `exited`)."""

BAD = frozenset({Kind.NO_ANSWER, Kind.BAD_ANSWER, Kind.CRITICAL, Kind.DEGRADED})


class Watch:
    """Synchronous: between two events no other event can come in, so that there is nothing to lock."""

    def __init__(
        self,
        fleet: Fleet,
        chronicle: Chronicle,
        stages: Stages,
        rollups: Rollups,
        wish: Callable[[Wish], None],
        note: Callable[[Card, str, float], None],
    ) -> None:
        self._fleet, self._chronicle, self._stages, self._rollups = fleet, chronicle, stages, rollups
        self._wish, self._note = wish, note

    def observe(self, card: Card, seen: Observation, *, counts: bool = True) -> None:
        """One counted outcome of a check. counts=False: an answer of a proof or to a dependent's question (SPEC 4)."""
        now, before = seen.at, card.history.last
        ill = seen.kind is not Kind.OK and (seen.failing or seen.kind is Kind.CRITICAL)
        self._rollups.add(card.name, now, ill, seen.latency)
        self._chronicle.observed(card, seen, fold(card.history, seen, card.service, counts=counts and card.active is None))
        seen = card.history.last or seen  # `starting` for too long has become what its code says
        repeats = bool(card.history.streaks.errors and repeated(card.history))
        well = seen.kind is Kind.OK and not repeats
        if well and card.incident is None and card.well and card.name not in self._fleet.bad and seen.remark == card.remark:
            return  # nearly every check of a healthy fleet ends here
        bad = seen.kind in BAD or repeats
        self._remark(card, seen, now)
        if bad and not self._is_good(card, seen):
            self._went_bad(card, now, seen)
        elif seen.counts:
            self._answered(card, seen)
        if seen.kind is Kind.CRITICAL and (before is None or before.kind is not Kind.CRITICAL) and card.active is None:
            self._wish(AskSoon(card.name, ASK_AGAIN))
            self._wish(Capture(card.name))
        elif seen.failing and card.service.retry is not None:
            self._wish(AskSoon(card.name, card.service.retry))
        self.weigh(card, now)
        self.review(card, now)

    def _remark(self, card: Card, seen: Observation, now: float) -> None:
        """One soft line for what only a person can put right: a wrong address, an unknown word (SPEC 2)."""
        if card.history.streaks.misconfigured >= MISCONFIGURED and not card.scolded:
            card.scolded = True
            self._chronicle.memory(card)
            self._note(card, f"its check is misconfigured, so nobody knows how it is: {seen.detail}", now)
        elif seen.remark != card.remark and seen.remark and seen.kind is Kind.OK and "unknown status" in seen.remark:
            self._note(card, seen.remark, now)
        if seen.counts:
            card.remark = seen.remark
            card.scolded = False

    def note(self, card: Card, text: str, now: float) -> None:
        """A soft line about this service."""
        self._note(card, text, now)

    def sighted(self, card: Card, sight: Sight, now: float) -> None:
        """A look at the process: a new instance, or an end. Starts and ends are known however they came about."""
        history = card.history
        if card.well:
            card.well_as = history.instance
        grace = card.service.startup_grace
        born_at = min(sight.started_at, now) if sight.started_at is not None else now
        met = history.running is None and now - born_at > grace
        if sight.running and history.instance != sight.instance and not met:
            self._chronicle.history(card, started(history, born_at, sight.instance, grace))
            self._chronicle.memory(card)
        elif sight.running:
            self._chronicle.history(card, seen_running(history, now, sight.instance))
        elif history.running is not False or history.life.patience != _patience(sight):
            self._gone(card, sight, now)
        if sight.running and card.boot != self._fleet.boot:
            card.boot = self._fleet.boot
            self._chronicle.memory(card)
        self.weigh(card, now)
        self.review(card, now)

    def flashed(self, card: Card, sight: Sight, now: float) -> None:
        """We started it, and it had ended before anybody could look: a start and an exit all the same."""
        if card.history.running is not True:
            self._chronicle.history(card, started(card.history, now, f"gone before {now:.3f}", card.service.startup_grace))
        self.sighted(card, sight, now)

    def _gone(self, card: Card, sight: Sight, now: float) -> None:
        ours, first = self._ended_by_us(card), card.history.running is not False
        if card.history.running:
            self._chronicle.exit(card, now, sight.exit_code, ours=ours)
        self._chronicle.history(card, ended(card.history, now, sight.exit_code, ours, _patience(sight)))
        self._chronicle.memory(card)
        if first and not ours and not card.bringing_up:
            opened = card.incident is None
            self._open(card, now, end_words(sight.exit_code))
            self._sign(card, exit_words(sight.exit_code))
            if opened and card.incident is not None and _patience(sight):
                self._wish(Capture(card.name))  # no playbook of ours may ever look: its supervisor starts it again

    def starved(self, card: Card, at: float) -> None:
        """Killed for memory: noted; its supervisor brings it back (SPEC 4, `oom`)."""
        now = max(at, card.history.since)
        self._chronicle.history(card, replace(card.history, life=starved(card.history.life, at)))
        self._chronicle.memory(card)
        self._open(card, now, "killed for memory")
        self._sign(card, "killed for memory")
        curve = drawn(card.history.life.load, now)
        if curve:
            self._chronicle.evidence(card, None, now, "memory", curve)
        self.review(card, now)

    def _ended_by_us(self, card: Card) -> bool:
        if card.stopped:
            return True
        if card.active is None:
            return False
        touched = {step.before for step in card.active.run.steps if step.effect is not Effect.NONE}
        return card.history.instance in touched

    def _went_bad(self, card: Card, now: float, seen: Observation) -> None:
        card.stretch = 0
        if muted(card.history, now):
            return
        self._open(card, now, seen.detail or seen.kind.value)
        self._sign(card, seen.detail or seen.kind.value)

    @staticmethod
    def _sign(card: Card, text: str) -> None:
        """What was found, for the page: the first and the newest findings stay, however long it lasts."""
        if card.incident is None:
            return
        *earlier, (last, count) = card.signs or (("", 0),)
        if last == text:
            card.signs = (*earlier, (last, count + 1))
        else:
            signs = (*card.signs, (text, 1))
            card.signs = signs if len(signs) <= SIGNS else (*signs[: SIGNS // 2], *signs[-SIGNS // 2 :])

    def _open(self, card: Card, now: float, reason: str) -> None:
        if card.stopped:
            return
        self._fleet.turn_bad(card.name, now)
        if card.incident is None and not card.bringing_up and card.active is None:
            self._stages.open(card, now, reason)

    def _answered(self, card: Card, seen: Observation) -> None:
        if not self._is_good(card, seen):
            card.stretch = 0
            return
        incident = card.incident
        card.stretch += 1
        self._fleet.turn_good(card.name)
        card.stormed = False
        if card.active is not None:
            card.active.good = True
        elif incident is not None and card.stretch >= card.service.healthy and card.history.running is not False:
            self._stages.recovered(card, seen.at)

    @staticmethod
    def _is_good(card: Card, seen: Observation) -> bool:
        """Good as SPEC 4 has it: free of the symptom of the incident; while there is none, free of the mildest."""
        symptom = card.incident.symptom if card.incident is not None else None
        lasting = lasts(symptom, card.history, card.service, seen.at)
        return not lasting and good(seen, symptom or "degraded", repeated(card.history))

    def suspect(self, card: Card, symptom: Symptom, now: float) -> None:
        """A sign of which no answer and no exit tells."""
        if card.incident is None:
            self._open(card, now, symptom.text)
            self._sign(card, symptom.text)
        self.review(card, now)

    def weigh(self, card: Card, now: float) -> None:
        """As a dependency: who comes back gives its dependents time to reconnect, level by level (SPEC 5, step 3)."""
        well, _ = wellness(card, now)
        if well is None or well == card.well:
            return
        card.well = well
        if not well:
            return
        replaced = bool(card.well_as) and card.history.instance != card.well_as
        for name in self._fleet.graph.downstream(card.name):
            other = self._fleet.cards.get(name)
            if other is None:
                continue
            self._stages.reconnect(other, card, now)
            if replaced and other.service.depends_on.get(card.name) is Edge.RESTART_WITH:
                other.owed = card.name
                self._chronicle.memory(other)
                self._fleet.rouse(other)

    def review(self, card: Card, now: float) -> None:
        """What shall be done about it now, if anything."""
        incident = card.incident
        if incident is None or card.active is not None or card.bringing_up or self._waits_out_storm(card):
            return
        symptom, real = lead(card, now)
        if symptom is None:
            return
        if incident.stage is Stage.OPEN and not real:
            self._explain(card, symptom, now)
            return
        if incident.stage is Stage.PARKED and (card.parking is None or not card.parking.chance):
            return  # it keeps the name of what it was parked for
        if real:
            self._stages.confirm(card, symptom, now)
        incident = card.incident
        if incident is None or incident.stage is Stage.PERSON:
            return
        self.consider(card, symptom, now)

    def _explain(self, card: Card, symptom: Symptom, now: float) -> None:
        """A muted symptom confirms nothing, but `why` must be able to say what it waits for."""
        trail = decide(gather(self._fleet, card, symptom, now), now)
        if trail[-1].step is Step.GRACE:
            self._chronicle.decision(card, trail, now)
            card.look_at = worth_a_look(trail[-1], now)

    def _waits_out_storm(self, card: Card) -> bool:
        """Members were told already that nothing is done; asking again and again would cost a storm of its own."""
        storm, decision = self._fleet.storm, card.decision
        return storm is not None and card.name in storm.members and decision is not None and decision.last.step is Step.HOST

    def consider(self, card: Card, symptom: Symptom, now: float) -> None:
        """Asks `decide`, keeps the answer and follows it. Dependencies are asked anew before anything is touched."""
        situation = gather(self._fleet, card, symptom, now)
        trail = decide(situation, now)
        pending = tuple(d.name for d in situation.dependencies if d.well is None)
        if pending and trail[-1].step is Step.ROOT and trail[-1].by is None:
            number = card.incident.id if card.incident is not None else None
            if card.decision is None or card.decision.incident != number:
                self._chronicle.decision(card, trail, now)  # kept once; asking again before each act is no news
            self._wish(AskAnew(pending))
            return
        self._chronicle.decision(card, trail, now)
        self._stages.follow(card, situation, trail, now)
        card.look_at = worth_a_look(trail[-1], now)

    def run_over(self, card: Card, now: float) -> None:
        """After a run: its service may stand again, and decisions are due."""
        self.weigh(card, now)
        if card.history.running is False and not card.bringing_up:
            self._open(card, now, "it does not run after a recovery")
        self.review(card, now)

    def pardon(self, card: Card) -> None:
        """A person asked for a full budget: earlier exits make no crash loop any more."""
        self._chronicle.history(card, replace(card.history, life=replace(card.history.life, exits=())))
        self._chronicle.memory(card)


def _patience(sight: Sight) -> float:
    """Seconds that whoever brings it back has for it."""
    if sight.life is Life.BUSY:
        return inf
    return SUPERVISOR if sight.supervised else 0.0
