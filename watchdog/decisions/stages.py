"""Moves an incident from stage to stage, with what hangs on it: parking, approvals, the incident it is folded into (SPEC 7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from recovery.model import Mode, Playbook, Run, RunOutcome, StepOutcome
from watchdog.decisions.budget import may_wake, rearm_delay, spent
from watchdog.decisions.chronicle import Chronicle
from watchdog.decisions.consent import EXPIRES, waits_for_yes
from watchdog.decisions.fleet import DOCKER, STORM, Card, Fleet
from watchdog.decisions.moments import near
from watchdog.decisions.situation import Approval, Parking, Pause, Situation
from watchdog.decisions.wishes import BRING_UP, Heal, Wish
from watchdog.model.decision import Ruling, Step, Verdict
from watchdog.model.incident import Incident, Outcome, Stage
from watchdog.model.phrases import HEALED_BY
from watchdog.model.symptom import FROM_HEALTH, RESTART_WITH, Symptom
from watchdog.state import incidents
from watchdog.state.history import fresh

HOUR = 3600.0
"""Seconds over which repeats of one symptom are counted (SPEC 11)."""

PAST = 100
"""Closed incidents a card remembers, for repeats and for what helped before."""

STILL = frozenset({Step.HOST, Step.OPERATOR})
"""Steps whose wait stops the clock of the tier: the daemon may not act (SPEC 11)."""


class Stages:
    """Every change of a card's incident passes through here. last_word: the close as told, with its final tier."""

    def __init__(
        self,
        fleet: Fleet,
        chronicle: Chronicle,
        wish: Callable[[Wish], None],
        last_word: Callable[[Card, Incident, Incident, float], Incident],
    ) -> None:
        self._fleet = fleet
        self._chronicle = chronicle
        self._wish = wish
        self._last_word = last_word

    def open(self, card: Card, now: float, reason: str) -> None:
        card.incident = incidents.opened(self._fleet.next_incident, card.name, now, reason)
        card.stretch, card.signs = 0, ()
        self._fleet.rouse(card)
        self._chronicle.open(card.incident)
        if card.hold is not None:
            still = incidents.waiting(card.incident, "on hold", now, clock_runs=False)
            card.incident = replace(still, stage=Stage.OPEN)

    def confirm(self, card: Card, symptom: Symptom, now: float) -> None:
        """Open becomes confirmed; a relapse takes up the incident that closed a short time ago."""
        incident = card.incident
        if incident is None:
            return
        if incident.stage is Stage.OPEN:
            card.bouts = (*(bout for bout in card.bouts if near(bout[0], now, HOUR)), (now, symptom.name))
        if incident.stage is Stage.OPEN and incident.confirmed_at is None and incidents.can_relapse(card.last, now):
            self._relapse(card, incident, symptom, now)
        elif incident.stage is Stage.OPEN or incident.symptom != symptom.name:
            self._chronicle.incident(card, incidents.confirmed(incident, symptom, now), now)

    def _relapse(self, card: Card, blip: Incident, symptom: Symptom, now: float) -> None:
        old = card.last
        if old is None:
            return
        blip = replace(blip, parent=old.id)
        self._chronicle.store.put(incidents.closed(blip, Outcome.SELF_RECOVERED, f"a relapse of incident {old.id}", now))
        self._chronicle.incident(card, incidents.relapsed(old, symptom, blip.opened_at, now), now, "relapsed")

    def follow(self, card: Card, situation: Situation, trail: tuple[Ruling, ...], now: float) -> None:
        """Carries a decision into the incident's stage."""
        incident, last = card.incident, trail[-1]
        if last.verdict is Verdict.HEAL:
            follows = situation.symptom.name == RESTART_WITH
            self._wish(Heal(card.name, situation.playbooks[last.playbook or ""], folded=follows))
        elif situation.symptom.name == RESTART_WITH:
            card.owed = card.owed if last.verdict is Verdict.WAIT else ""
        elif incident is None:
            return
        elif last.verdict is Verdict.ESCALATE and (last.park or card.parking is not None):
            self.park(card, last.reason, now)
        elif last.verdict is Verdict.ESCALATE:
            self._chronicle.incident(card, incidents.person(incident, last.reason, now), now)
        elif last.by is not None:
            self._block(card, last, now)
        else:
            self._wait(card, situation, last, now)

    def _block(self, card: Card, ruling: Ruling, now: float) -> None:
        incident, root = card.incident, self._fleet.cards.get(ruling.by or "")
        if incident is None:
            return
        parent = root.incident.id if root is not None and root.incident is not None else None
        if incident.stage is not Stage.BLOCKED or incident.blocked_by != ruling.by or incident.parent != parent:
            blocked = incidents.blocked(incident, ruling.by or "", parent or incident.parent, ruling.reason, now)
            if root is not None and root.stopped:
                blocked = replace(blocked, cause=f"{root.name} was {root.stopped}")
            self._chronicle.incident(card, blocked, now)

    def _wait(self, card: Card, situation: Situation, ruling: Ruling, now: float) -> None:
        incident = card.incident
        if incident is None or incident.stage is Stage.PARKED:
            return
        book = situation.playbooks.get(ruling.playbook or "")
        asked = card.approval is not None and book is not None and card.approval.playbook == book.name
        if book is not None and book.mode is Mode.APPROVE and not asked and not situation.observing:
            ruling = replace(ruling, reason=self._request(card, book, now))
        weather = STORM if situation.world.storm else DOCKER if situation.world.docker else ""
        storm = self._fleet.host.get(weather) if ruling.step is Step.HOST else None
        clock_runs = ruling.step not in STILL and not (ruling.step is Step.GRACE and situation.reconnect is not None)
        if incident.stage is Stage.BLOCKED and situation.reconnect is not None and ruling.step is Step.GRACE:
            return
        if incident.stage is not Stage.WAITING or incident.reason != ruling.reason:
            after = incidents.waiting(incident, ruling.reason, now, clock_runs=clock_runs)
            self._chronicle.incident(card, replace(after, parent=storm.id if storm is not None else None), now)

    def _request(self, card: Card, book: Playbook, now: float) -> str:
        """The question, and the reason under which the incident waits for its answer."""
        approval = card.approval = Approval(self._fleet.next_run, book.name, now, now + EXPIRES)
        self._fleet.next_run += 1
        self._chronicle.memory(card)
        self._chronicle.entry(card.incident, now, "approval", f"asks a person: watchdogctl approve {approval.run}")
        return waits_for_yes(approval)

    def park(self, card: Card, reason: str, now: float) -> None:
        if card.incident is None:
            return
        if card.parking is None:
            card.parking = Parking(now, 0, now + rearm_delay(0, self._fleet.settings.guards.rearm_after))
        self._chronicle.incident(card, incidents.parked(card.incident, reason, now), now)
        self._chronicle.memory(card)

    def rearm(self, card: Card, now: float) -> None:
        """One attempt when its time has come; a dependency that came back gives one too (see `reconnected`)."""
        parking = card.parking
        if parking is None or parking.chance or card.active is not None:
            return
        if now >= parking.next_at and now >= self._fleet.settle_until:
            attempts = parking.attempts + 1
            next_at = now + rearm_delay(attempts, self._fleet.settings.guards.rearm_after)
            card.parking = replace(parking, attempts=attempts, next_at=next_at, chance="re-armed after its wait")
            self._chronicle.memory(card)

    def reconnect(self, card: Card, root: Card, now: float) -> None:
        """Its dependency is good again: /health symptoms wait `guards.reconnect` from here."""
        wait = self._fleet.settings.guards.reconnect
        card.reconnect = Pause(f"{root.name} is back; time to reconnect", now + wait)
        self._fleet.rouse(card)
        self._chronicle.memory(card)

    def reconnected(self, card: Card, now: float) -> None:
        """The time to reconnect is over: who was blocked must be confirmed anew; who is parked gets a chance."""
        incident = card.incident
        if incident is not None and incident.stage in {Stage.BLOCKED, Stage.WAITING} and incident.symptom in FROM_HEALTH:
            self._chronicle.incident(card, incidents.reconfirm(incident, "its dependency is back; confirmed anew", now), now)
        parking = card.parking
        if parking is not None and not parking.chance and may_wake(parking.woken, now):
            card.parking = replace(parking, woken=(*parking.woken, now), chance="a dependency turned healthy")
            self._chronicle.memory(card)

    def recovered(self, card: Card, now: float) -> None:
        """Good answers in a row close it, whoever mended it."""
        incident = card.incident
        theirs = incident is not None and (card.hold is not None or bool(incident.cause)) and incident.run is None
        outcome = Outcome.IGNORED if theirs else Outcome.SELF_RECOVERED
        self.close(card, outcome, f"{card.service.healthy} good answers in a row", now)

    def close(self, card: Card, outcome: Outcome, reason: str, now: float) -> None:
        incident = card.incident
        if incident is None:
            return
        after = self._last_word(card, incident, incidents.closed(incident, outcome, reason, now), now)
        self._chronicle.incident(card, after, now)
        card.incident = None
        if not after.blip:
            card.last = after
        if not after.blip and after.parent is None:
            card.past = (*(i for i in card.past if i.id != after.id), after)[-PAST:]
        card.decision = None
        card.rung, card.stretch = "", 0
        self._fleet.turn_good(card.name)
        card.approval = None
        card.parking = None
        self._chronicle.memory(card)

    def rewired(self, card: Card, now: float) -> None:
        """Its probe or its way of running was changed: what was spent on the old one counts no more (SPEC 3)."""
        card.amnesty, card.parking, card.rung, card.approval = now, None, "", None
        incident = card.incident
        if incident is not None and incident.stage is not Stage.HEALING:
            self._chronicle.incident(
                card, incidents.reconfirm(incident, "its configuration was changed; confirmed anew", now), now
            )
        self._chronicle.memory(card)

    def released(self, card: Card, now: float) -> None:
        """A hold has ended: what waited for it is confirmed anew."""
        incident = card.incident
        if incident is not None and incident.stage in {Stage.WAITING, Stage.OPEN}:
            self._chronicle.incident(card, incidents.reconfirm(incident, "the hold is over; confirmed anew", now), now)

    def begun(self, card: Card, run: Run, playbook: Playbook, now: float, *, folded: bool) -> None:
        if card.incident is not None:
            reason = f"{playbook.name} by {run.by}" if run.by != "watchdog" else playbook.name
            self._chronicle.incident(
                card, incidents.healing(card.incident, run.id, reason, now, routine=playbook.routine, folded=folded), now
            )
        card.approval = None
        if playbook.effect.charged:
            card.owed = ""
        if card.parking is not None:
            card.parking = replace(card.parking, chance="")
        self._chronicle.memory(card)

    def ended(self, card: Card, run: Run, playbook: Playbook, now: float) -> None:
        """A run is over; only its proof heals (SPEC 6, 7)."""
        card.rung = ""
        if run.outcome is RunOutcome.HEALED:
            if run.effect.rank < 2:
                self._chronicle.history(card, fresh(card.history, now))
            theirs = playbook.name == BRING_UP and run.by != "watchdog"
            outcome = Outcome.IGNORED if theirs else Outcome.HEALED
            self.close(card, outcome, f"started by {run.by}" if theirs else f"{HEALED_BY}{playbook.name}", now)
            return
        incident = card.incident
        if incident is None:
            return
        reason = f"{playbook.name}: {run.detail}" if run.detail else f"{playbook.name} {run.outcome}"
        if run.outcome is RunOutcome.NEEDS_PERSON:
            self._chronicle.incident(card, incidents.person(incident, reason, now), now)
        elif run.outcome is RunOutcome.HELD and card.by_hand is not None:
            self.close(card, Outcome.IGNORED, card.by_hand.words, now)
        elif run.outcome is RunOutcome.HELD:
            self._chronicle.incident(card, incidents.waiting(incident, reason, now, clock_runs=False), now)
        elif run.outcome is RunOutcome.FAILED:
            self._failed(card, incident, run, playbook, reason, now)
        elif card.parking is not None:
            self.park(card, reason, now)
        else:
            self._chronicle.incident(card, incidents.again(incident, reason, now), now)
        self._chronicle.memory(card)

    def _failed(self, card: Card, incident: Incident, run: Run, playbook: Playbook, reason: str, now: float) -> None:
        used = spent(card.charges, self._fleet.settings.guards, now)
        if card.parking is not None:
            self.park(card, reason, now)
        elif playbook.effect.charged and not playbook.gentle and used.count >= used.of:
            words = f"{reason}; that was {used.count} of {used.of}"
            self.park(card, words, now)
            parking = card.parking
            until = parking.next_at if parking is not None else None
            self._chronicle.decision(card, (Ruling(Step.BUDGET, Verdict.ESCALATE, words, until=until, park=True),), now)
        elif playbook.otherwise == "escalate" or (playbook.otherwise == "again" and _impossible(run)):
            self._chronicle.incident(card, incidents.person(incident, reason, now), now)
        else:
            card.rung = playbook.otherwise if playbook.otherwise in self._fleet.playbooks else ""
            self._chronicle.incident(card, incidents.again(incident, reason, now), now)


def _impossible(run: Run) -> bool:
    """Its last step cannot work here, however often it is tried: a program that does not exist, a permission that is missing."""
    last = max(run.steps, key=lambda step: step.index, default=None)
    return last is not None and last.outcome is StepOutcome.IMPOSSIBLE
