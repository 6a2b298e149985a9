"""Starts runs and takes their ends: the bridge between a decision and the engine of recovery."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import structlog

from recovery.engine import Engine
from recovery.errors import StepError
from recovery.model import Playbook, Run, RunOutcome
from recovery.ports import Answer, Context, Life, Outside, Settled, Sight, Stop, Target
from watchdog.clock import Clock
from watchdog.decisions.asker import Asker
from watchdog.decisions.chronicle import Chronicle
from watchdog.decisions.fleet import Active, Card, Fleet
from watchdog.decisions.leash import Leash
from watchdog.decisions.ports import Spawn
from watchdog.decisions.stages import Stages
from watchdog.decisions.watch import Watch
from watchdog.decisions.wishes import Heal
from watchdog.errors import StoreUnavailable
from watchdog.state.load import drawn
from watchdog.symptoms.degraded import repeated
from watchdog.symptoms.good import good
from watchdog.symptoms.overload import lasts

_log = structlog.get_logger(__name__)


class Healer:
    """One recovery per service: `card.active` is set in the same breath as the decision (SPEC 5, locks)."""

    def __init__(
        self,
        fleet: Fleet,
        chronicle: Chronicle,
        stages: Stages,
        watch: Watch,
        asker: Asker,
        engine: Engine,
        outside: Outside,
        clock: Clock,
        spawn: Spawn,
        note: Callable[[Card, str, float], None],
    ) -> None:
        self._fleet, self._chronicle, self._stages, self._watch, self._note = fleet, chronicle, stages, watch, note
        self._asker, self._engine, self._outside, self._clock, self._spawn = asker, engine, outside, clock, spawn

    def begin(self, wish: Heal) -> Run | None:
        """The run is on the card at once; its steps begin when its intent is on disk."""
        card = self._fleet.cards[wish.name]
        if card.active is not None:
            return None
        now, book = self._clock.now(), wish.playbook
        run = Run(
            id=self._number(card, book),
            service=card.name,
            playbook=book.name,
            incident=card.incident.id if card.incident is not None else None,
            started_at=now,
            effect=book.effect,
            digest=book.digest,
            source=book.source,
            target=card.history.instance,
            by=wish.by,
            charged=book.effect.charged,
            gentle=book.gentle,
        )
        active = Active(run, book, Leash())
        self._fleet.put_to_work(card, active)
        self._stages.begun(card, run, book, now, folded=wish.folded)
        self._chronicle.run(card, run, now)
        self._watch.weigh(card, now)
        self._spawn(self._carry(card, active), f"run:{card.name}")
        return run

    def _number(self, card: Card, book: Playbook) -> int:
        approval = card.approval
        if approval is not None and approval.outcome == "approved" and approval.playbook == book.name:
            return approval.run
        number = self._fleet.next_run
        self._fleet.next_run += 1
        return number

    async def _carry(self, card: Card, active: Active) -> None:
        try:
            run = await self._carried(card, active)
        except Exception as error:  # noqa: BLE001 - a fault of ours ends this run, and never keeps the bot from its next
            run = self._failed(active, error)
        await self._finish(card, active, run)

    async def _carried(self, card: Card, active: Active) -> Run:
        try:
            await self._chronicle.store.commit()
        except StoreUnavailable as trouble:
            return _over(active.run, RunOutcome.INTERRUPTED, f"not journalled: {trouble}", self._clock)
        context = self.context(card, active, await self._look(card))
        run = replace(active.run, target=context.sight.instance)
        return await self._engine.run(run, active.playbook, context, active.leash)

    async def resume(self, card: Card, active: Active, settled: Settled) -> None:
        """An open run of an earlier life of the daemon, settled by looking (SPEC 7)."""
        try:
            run = await self._resumed(card, active, settled)
        except Exception as error:  # noqa: BLE001 - as above
            run = self._failed(active, error)
        await self._finish(card, active, run)

    async def _resumed(self, card: Card, active: Active, settled: Settled) -> Run:
        if settled.go_on is None:
            run = _over(settled.run, settled.outcome or RunOutcome.INTERRUPTED, settled.detail, self._clock)
            return replace(run, refunded=settled.refund)
        context = self.context(card, active, await self._look(card))
        return await self._engine.resume(settled, active.playbook, context, active.leash)

    def _failed(self, active: Active, error: Exception) -> Run:
        _log.error("run_failed", service=active.run.service, playbook=active.run.playbook, exc_info=error)
        why = f"the watchdog itself failed: {type(error).__name__}: {error}"
        return _over(active.run, RunOutcome.INTERRUPTED, why, self._clock)

    async def _finish(self, card: Card, active: Active, run: Run) -> None:
        """The last look, then the end of the run in one transaction with what follows from it."""
        sight = await self._look(card)
        if run.outcome is not RunOutcome.HEALED:
            card.log = await self._last_lines(card)
        now = self._clock.now()
        if not run.touched:
            run = replace(run, refunded=True)
        try:
            if card.runtime is not None and sight.life is not Life.BUSY and sight.detail != UNSEEN:
                self._watch.sighted(card, sight, now)
            self._chronicle.run(card, run, now)
        finally:
            self._fleet.put_to_work(card, None)
            active.done.set()
        if run.by != "watchdog" and card.incident is None and run.outcome is not RunOutcome.HEALED:
            self._note(card, f"{run.playbook}, asked for by {run.by}: {run.outcome}, {run.detail}", now)
        if self._fleet.cards.get(card.name) is card:
            self._stages.ended(card, run, active.playbook, now)
            self._watch.run_over(card, now)

    async def _look(self, card: Card) -> Sight:
        if card.runtime is None:
            return Sight(Life.GONE, detail=UNSEEN)
        try:
            return await card.runtime.look()
        except (StepError, OSError):
            return Sight(Life.BUSY, detail=UNSEEN)

    async def _last_lines(self, card: Card) -> tuple[str, ...]:
        if card.runtime is None:
            return ()
        try:
            return tuple(line for line in await card.runtime.log_tail(LINES) if line.strip())
        except (StepError, OSError):
            return ()

    def context(self, card: Card, active: Active | None, sight: Sight) -> Context:
        """Everything that actions may see of this service."""
        settings, service = self._fleet.settings, card.service
        number = active.run.id if active is not None else None
        return Context(
            target=Target(
                service=service.name,
                title=service.title,
                term_grace=service.term_grace,
                startup_grace=service.startup_grace,
                interval=service.interval,
                proof=settings.guards.proof,
                reload=service.reload.pair if service.reload is not None else None,
                commands=frozenset(settings.commands),
                urls=_urls(self._fleet),
            ),
            runtime=card.runtime,
            clock=self._clock,
            outside=self._outside,
            sight=sight,
            ask=lambda: self._ask(card, active),
            note=lambda text: self._note(card, text, self._clock.now()),
            keep=lambda kind, text: self._chronicle.evidence(card, number, self._clock.now(), kind, text),
            recent=lambda: _recent(card, self._clock.now()),
        )

    async def _ask(self, card: Card, active: Active | None) -> Answer:
        """A fresh answer for the proof: good as SPEC 4 defines it for the incident's symptom."""
        seen = await self._asker.ask(card, counts=False)
        symptom = card.incident.symptom if card.incident is not None else None
        lasting = lasts(symptom, card.history, card.service, seen.at)
        is_good = seen.counts and not lasting and good(seen, symptom, repeated(card.history))
        if active is not None:
            active.good = is_good
        return Answer(is_good, seen.detail or seen.kind.value, seen.counts)

    async def capture(self, name: str) -> None:
        """Evidence at once, before anything is decided, and the end of its log for a message (SPEC 4)."""
        card = self._fleet.cards.get(name)
        if card is not None and card.active is None:
            card.log = await self._last_lines(card)
            context = self.context(card, None, await self._look(card))
            await self._engine.capture(replace(context, note=lambda text: self._told(card, text)))

    def _told(self, card: Card, text: str) -> None:
        """A line in the timeline, nothing to be told to people."""
        self._chronicle.entry(card.incident, self._clock.now(), "note", text)

    def drop(self, card: Card, run: Run, why: str) -> None:
        """An open run of an earlier life that cannot be gone on with."""
        run = replace(_over(run, RunOutcome.INTERRUPTED, why, self._clock), refunded=not run.touched)
        self._chronicle.run(card, run, self._clock.now())

    def call_back_untouched(self, cards: tuple[Card, ...], why: str) -> None:
        """Runs that have touched nothing are cancelled (a storm has begun)."""
        for card in cards:
            if card.active is not None and not card.active.run.touched:
                card.active.leash.call(Stop.CANCEL, why)


UNSEEN = "could not be looked at"

LINES = 20
"""Of its log, for the message of a run that did not help: enough to see which error is the usual one."""


def _over(run: Run, outcome: RunOutcome, detail: str, clock: Clock) -> Run:
    return replace(run, ended_at=clock.now(), outcome=outcome, detail=detail)


def _recent(card: Card, now: float) -> list[str]:
    """What was seen of it: the last checks, and its memory over an hour."""
    checks = [f"{check.kind.value} {check.detail}".strip() for check in card.history.checks]
    memory = drawn(card.history.life.load, now)
    return [*checks, *([memory] if memory else [])]


def _urls(fleet: Fleet) -> frozenset[str]:
    services = fleet.settings.services.values()
    reloads = {s.reload.http for s in services if s.reload is not None and s.reload.http}
    return frozenset({s.probe.http for s in services if s.probe.http} | reloads)


async def wait_done(active: Active | None, seconds: float) -> bool:
    """True when the run is over within `seconds`."""
    if active is None:
        return True
    try:
        async with asyncio.timeout(seconds):
            await active.done.wait()
    except TimeoutError:
        return False
    return True
