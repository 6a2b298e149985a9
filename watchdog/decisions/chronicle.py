"""Writes what happened: each change of an incident with its line in the timeline, decisions, segments and memories."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

from recovery.model import Run, RunOutcome
from watchdog.decisions.fleet import HOST, Card, Fleet
from watchdog.decisions.ports import Store
from watchdog.decisions.suspects import versioned
from watchdog.model.decision import Decision, Ruling, Step, Verdict
from watchdog.model.incident import Incident
from watchdog.model.observation import Observation
from watchdog.model.records import Entry, Evidence, Exit, Hold, Memory, Segment
from watchdog.model.symptom import Symptom
from watchdog.state import incidents
from watchdog.state.history import History, segment_changed
from watchdog.state.memory import dump

RECENT, MONTH = 86_400.0, 30 * 86_400.0
"""Seconds of runs that a card keeps: more than the longest window of a budget; of those that healed a month."""


class Chronicle:
    """Everything passes through `store.put`; what must be durable before an act is committed by who acts."""

    def __init__(self, fleet: Fleet, store: Store) -> None:
        self._fleet = fleet
        self.store = store

    def open(self, incident: Incident) -> None:
        self._fleet.next_incident = max(self._fleet.next_incident, incident.id + 1)
        self.store.put(incident)
        self.entry(incident, incident.opened_at, "opened", incident.reason)

    def incident(self, card: Card, after: Incident, now: float, kind: str = "") -> None:
        """The card's incident becomes `after`; a change of stage or reason is a line in the timeline."""
        before = card.incident
        card.incident = after
        card.look_at = 0.0
        self._fleet.rouse(card)
        self.store.put(after)
        if before is None or before.stage is not after.stage or before.reason != after.reason:
            self.entry(after, now, kind or after.stage.value, after.reason)

    def host(self, after: Incident, now: float) -> None:
        """An incident of the host itself becomes `after`; there is at most one of each symptom."""
        symptom = after.symptom or ""
        before = self._fleet.host.get(symptom)
        if after.open:
            self._fleet.host[symptom] = after
        else:
            self._fleet.host.pop(symptom, None)
        self.store.put(after)
        if before is None or before.stage is not after.stage or before.reason != after.reason:
            self.entry(after, now, after.stage.value, after.reason)

    def host_opened(self, symptom: Symptom, now: float, service: str = HOST) -> Incident:
        """Something is wrong with the host, or with its Docker: nothing is healed by force meanwhile."""
        incident = incidents.opened(self._fleet.next_incident, service, symptom.since, symptom.text)
        self.open(incident)
        self.host(incidents.waiting(incidents.confirmed(incident, symptom, now), symptom.text, now, clock_runs=True), now)
        self.decision(None, (Ruling(Step.HOST, Verdict.WAIT, symptom.text),), now, service)
        return self._fleet.host[symptom.name]

    def entry(self, incident: Incident | None, at: float, kind: str, text: str) -> None:
        if incident is not None:
            self.store.put(Entry(incident.id, incident.service, at, kind, text))

    def evidence(self, card: Card, run: int | None, at: float, kind: str, text: str) -> None:
        if card.incident is not None:
            self.store.put(Evidence(card.incident.id, card.name, run, at, kind, text))

    def decision(self, card: Card | None, trail: tuple[Ruling, ...], now: float, service: str = HOST) -> None:
        """A new answer is a row; the same answer again only counts (kept once, SPEC 5). service: whose, without card."""
        before = card.decision if card is not None else self._fleet.host_decisions.get(service)
        own = (each for each in self._fleet.host.values() if each.service == service)
        incident = card.incident if card is not None else next(own, None)
        name = card.name if card is not None else service
        number = incident.id if incident is not None else None
        if before is not None and before.incident == number and _repeats(before.last, trail[-1]):
            after = replace(before, last_at=now, times=before.times + 1)
        else:
            if before is not None and before.times > 1:
                self.store.put(before)
            after = Decision(now, name, number, trail, last_at=now)
            self.store.put(after)
        if card is not None:
            card.decision = after
        else:
            self._fleet.host_decisions[service] = after

    def observed(self, card: Card, seen: Observation, after: History) -> None:
        """One check: what it tells of the bot itself, and the history with it."""
        if versioned(card, seen):
            self.memory(card)
        self.history(card, after)

    def history(self, card: Card, after: History) -> None:
        """The card's history becomes `after`; a change of the visible state closes a segment and opens the next."""
        before, card.history = card.history, after
        changed = segment_changed(before, after)
        if changed:
            for segment in changed:
                self.store.put(segment)
            self.memory(card)

    def exit(self, card: Card, at: float, code: int | None, *, ours: bool) -> None:
        self.store.put(Exit(card.name, at, code, ours, card.history.instance or ""))

    def run(self, card: Card, run: Run, now: float) -> None:
        """The card's copy of a run, and its row."""
        others = tuple(r for r in card.runs if r.id != run.id and (_worth_keeping(r, now)))
        card.runs = (*others, run)
        if card.active is not None and card.active.run.id == run.id:
            card.active.run = run
        self.store.put(run)

    def hold(self, card: Card, hold: Hold | None, now: float) -> None:
        if card.hold is not None and (hold is None or hold.since != card.hold.since):
            self.store.put(replace(card.hold, ended_at=now))
        card.hold = hold
        self._fleet.rouse(card)
        if hold is not None:
            self.store.put(hold)

    def everything(self, now: float) -> None:
        """All that is open once more: the file was begun anew under us."""
        for card in self._fleet:
            if card.incident is not None:
                self.store.put(card.incident)
            for run in card.runs:
                self.store.put(run)
            if card.hold is not None:
                self.store.put(card.hold)
            seen = card.history.seen
            self.store.put(Segment(card.name, seen.state, now, None, seen.reason))
            self.memory(card)
        for incident in self._fleet.host.values():
            self.store.put(incident)

    def memory(self, card: Card) -> None:
        """What must survive the daemon beside the rows (SPEC 5: all counts survive)."""
        doc = {
            "history": dump(card.history),
            "parking": asdict(card.parking) if card.parking else None,
            "approval": asdict(card.approval) if card.approval else None,
            "rung": card.rung,
            "amnesty": card.amnesty,
            "bouts": card.bouts,
            "changes": card.changes,
            "version": card.version,
            "owed": card.owed,
            "by_hand": asdict(card.by_hand) if card.by_hand else None,
            "well": card.well,
            "scolded": card.scolded,
            "boot": card.boot,
            "well_as": card.well_as,
            "reconnect": asdict(card.reconnect) if card.reconnect else None,
        }
        self.store.put(Memory(card.name, json.dumps(doc, separators=(",", ":"))))


def _worth_keeping(run: Run, now: float) -> bool:
    return run.open or now - run.started_at <= (MONTH if run.outcome is RunOutcome.HEALED else RECENT)


def _repeats(before: Ruling, after: Ruling) -> bool:
    """The same answer again; a deed is never the same as the one before."""
    if after.verdict is Verdict.HEAL:
        return False
    return _kernel(before) == _kernel(after)


def _kernel(ruling: Ruling) -> tuple[str, str, str, str | None]:
    return ruling.step, ruling.verdict, ruling.reason, ruling.playbook
