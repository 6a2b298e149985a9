"""The journal of runs: intent before act, outcome after, each on disk before it returns (`recovery.ports.Journal`)."""

from __future__ import annotations

from dataclasses import replace

from recovery.errors import JournalUnavailable, StepError
from recovery.model import Run, StepOutcome, StepRecord
from watchdog.clock import Clock
from watchdog.decisions.chronicle import Chronicle
from watchdog.decisions.fleet import Card, Fleet
from watchdog.decisions.watch import Watch
from watchdog.errors import StoreUnavailable

STARTERS = frozenset({"start", "ensure_running", "restart"})
"""Actions after which something ran, if only for a moment."""


class RunJournal:
    """Writes through the chronicle, so that the card, the timeline and the rows say the same."""

    def __init__(self, fleet: Fleet, chronicle: Chronicle, watch: Watch, clock: Clock) -> None:
        self._fleet, self._chronicle, self._watch, self._clock = fleet, chronicle, watch, clock

    async def intent(self, run: Run, step: StepRecord) -> None:
        await self._write(run, f"{step.action} …")

    async def outcome(self, run: Run, step: StepRecord) -> None:
        card = self._fleet.cards.get(run.service)
        if card is not None and step.effect.charged:
            await self._look(card, started=step.outcome is StepOutcome.OK and step.action in STARTERS)
        told = f": {step.detail}" if step.detail else ""
        await self._write(run, f"{step.action} {step.outcome}{told}")

    async def proving(self, run: Run) -> None:
        await self._write(run, "asking for proof of health")

    async def ended(self, run: Run) -> None:
        """The end is written by the healer, in one transaction with what follows from it for the incident."""
        card = self._fleet.cards.get(run.service)
        told = f": {run.detail}" if run.detail else ""
        if card is not None:
            self._chronicle.entry(card.incident, self._clock.now(), "run", f"{run.playbook} {run.outcome}{told}")

    async def _look(self, card: Card, *, started: bool) -> None:
        """What our act did to the process is known at once, also of one that lived for a moment only."""
        if card.runtime is None:
            return
        try:
            sight = await card.runtime.look()
        except StepError:
            return
        if started and not sight.running:
            self._watch.flashed(card, sight, self._clock.now())
        else:
            self._watch.sighted(card, sight, self._clock.now())
        card.changed.set()

    async def _write(self, run: Run, text: str) -> None:
        card = self._fleet.cards.get(run.service)
        now = self._clock.now()
        if card is not None:
            self._chronicle.run(card, self._charged(card, run), now)
            self._chronicle.entry(card.incident, now, "run", text)
        else:  # removed from the configuration meanwhile: its run still writes its intents
            self._chronicle.store.put(run)
        try:
            await self._chronicle.store.commit()
        except StoreUnavailable as trouble:
            raise JournalUnavailable(str(trouble)) from trouble

    @staticmethod
    def _charged(card: Card, run: Run) -> Run:
        """What the card knows of charge and refund stands; the engine knows the steps."""
        known = next((r for r in card.runs if r.id == run.id), None)
        return replace(run, charged=known.charged) if known is not None else run
