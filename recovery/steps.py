"""One run while it is carried out: its steps, each journalled as intent, act, outcome (SPEC 6 and 7)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from recovery.errors import JournalUnavailable, NeedsPerson, StepError, StepFailed, StepImpossible, Superseded
from recovery.leash import CalledBackError, pause, unless_called, unless_theirs
from recovery.model import Effect, Run, Step, StepOutcome, StepRecord
from recovery.ports import Clock, Context, Journal, Leash, Result, Sight
from recovery.registry import Registry

TIMEOUT = 60.0
"""Seconds for a step that says nothing else (SPEC 6)."""

MARGIN = 5.0
"""Seconds beyond what a step asks for by its own parameters: `grace + 5 s` (SPEC 6)."""

DETAIL = 500
"""Characters of a step's line; what a step prints never fills the journal."""

RETRY_LONGEST = 30.0
"""Seconds: pauses between the tries of one step are 1, 2, 4 ... up to this."""

JOURNAL_TRIES, JOURNAL_PAUSE = 12, 5.0
"""A run that has touched its target asks a journal that is away for a minute: a full disk's reserve is released meanwhile."""

WORDS = {StepOutcome.OK: "ok", StepOutcome.SKIPPED: "skipped"}
"""What `if: <id>.<word>` sees; every other outcome is `failed`."""


class Execution:
    """The one mutable place of a run: the run as journalled, the instance that is ours, and what was seen last.

    mine: the instance that may be touched; "" while nothing runs; None when the next one seen is ours.
    """

    def __init__(self, run: Run, context: Context, actions: Registry, clock: Clock, journal: Journal) -> None:
        self.run = run
        told = {s.id: WORDS.get(s.outcome, "failed") for s in run.steps if s.outcome is not None}
        self.context = replace(context, previous={**context.previous, **told})
        self.mine: str | None = run.target or context.sight.instance
        self._actions = actions
        self._clock = clock
        self._journal = journal

    async def perform(self, step: Step, index: int, leash: Leash) -> StepRecord:
        """Carry out one step. Raises Superseded before anything was begun, JournalUnavailable, and nothing else."""
        record = StepRecord(index, step.id, step.action, step.effect, self._clock.now())
        if step.only_if and self.context.previous.get(step.only_if[0]) != step.only_if[1]:
            return await self._close(record, StepOutcome.SKIPPED, f"only if {'.'.join(step.only_if)}")
        try:
            await self._recognise(step)
        except StepFailed as error:
            return await self._close(record, StepOutcome.FAILED, f"not begun, the target cannot be seen: {error}")
        record = replace(record, before=self.context.sight.instance)
        await self._intend(record)
        outcome, detail = await self._act(step, record, leash)
        for again in range(step.retry):
            if outcome is not StepOutcome.FAILED:
                break
            try:
                await pause(self._clock, min(2.0**again, RETRY_LONGEST), leash)
                await self._recognise(step)
            except CalledBackError:
                break
            except StepError as error:
                outcome, detail = _judged(error)
                continue
            outcome, detail = await self._act(step, record, leash)
            detail = f"{detail} (try {again + 2})"
        return await self._close(record, outcome, detail)

    async def prove(self) -> None:
        """Journal that the proof begins."""
        self.run = replace(self.run, proving_at=self._clock.now())
        try:
            await self._journal.proving(self.run)
        except JournalUnavailable:
            return  # a proof touches nothing; it is as good without its row

    async def look(self) -> Sight | None:
        """A fresh look that is remembered; None when the target cannot be seen."""
        if self.context.runtime is None:
            return None
        try:
            sight = await self.context.runtime.look()
        except StepError:
            return None
        self.context = replace(self.context, sight=sight)
        return sight

    async def _recognise(self, step: Step) -> None:
        """Before a step with an effect: is it still the instance decided on, or one that our own act brought up?"""
        if step.effect is Effect.NONE or self.context.runtime is None:
            return
        sight = await self.context.runtime.look()
        ours_since_we_stopped = self.mine == "" and any(s.effect.charged and s.before for s in self.run.steps)
        if sight.instance and sight.instance != self.mine and self.mine is not None and not ours_since_we_stopped:
            raise Superseded(f"another instance runs now ({sight.instance}) than the one decided on ({self.mine or 'none'})")
        self.context = replace(self.context, sight=sight)
        self.mine = sight.instance

    async def _intend(self, record: StepRecord) -> None:
        intended = replace(self.run, steps=_with(self.run.steps, record))
        for tried in range(JOURNAL_TRIES + 1):
            try:
                await self._journal.intent(intended, record)
            except JournalUnavailable:
                if not self.run.touched or tried == JOURNAL_TRIES:
                    raise
                await self._clock.sleep(JOURNAL_PAUSE)
            else:
                self.run = intended
                return

    async def _act(self, step: Step, record: StepRecord, leash: Leash) -> tuple[StepOutcome, str]:
        spec = self._actions[step.action]
        asked = spec.takes(step.params, self.context.target)
        seconds = max(step.timeout or TIMEOUT, asked + MARGIN if asked else 0.0)
        left: Sight | None = None
        try:
            async with asyncio.timeout(seconds) as limit:
                work = spec.run(step.params, self.context)
                # an act with an effect is never cut in the middle by the core; what has none may be, and a stop that somebody
                # else takes over: theirs may give the bot more time than ours
                if step.effect is Effect.NONE:
                    result: Result = await unless_called(work, leash)
                else:
                    result = await (unless_theirs(work, leash) if spec.yields else work)
            outcome, detail, left = StepOutcome.OK, result.detail, result.sight
        except CalledBackError:
            outcome, detail = StepOutcome.SKIPPED, "called back before its end"
            if step.effect is not Effect.NONE:
                outcome, detail = StepOutcome.FAILED, "not gone on with: somebody else has it in hand"
        except TimeoutError as error:
            outcome, detail = StepOutcome.FAILED, f"no end within {seconds:g} s" if limit.expired() else f"timed out: {error}"
            if limit.expired() and step.effect.charged and await self._newer(record):
                outcome, detail = StepOutcome.OK, f"seen: a new instance runs, though there was {detail}"
        except StepError as error:
            outcome, detail = _judged(error)
        except Exception as error:  # noqa: BLE001 - an action's own bug is a failed step, never a dead engine
            outcome, detail = StepOutcome.FAILED, f"{type(error).__name__}: {error}"
        if step.effect.charged and outcome is not StepOutcome.SUPERSEDED:
            await self._adopt(left)
        return outcome, detail

    async def _newer(self, record: StepRecord) -> bool:
        """An act whose end was not seen may have worked: a newer instance says so (a call that timed out, SPEC 7)."""
        sight = await self.look()
        return sight is not None and sight.running and sight.instance != record.before

    async def _adopt(self, left: Sight | None) -> None:
        """After an act of ours that starts or stops: whatever runs now is ours."""
        sight = left or await self.look()
        if sight is None:
            self.mine = None
            return
        self.context = replace(self.context, sight=sight)
        self.mine = sight.instance

    async def _close(self, record: StepRecord, outcome: StepOutcome, detail: str) -> StepRecord:
        record = replace(record, ended_at=self._clock.now(), outcome=outcome, detail=" ".join(detail.split())[:DETAIL])
        self.run = replace(self.run, steps=_with(self.run.steps, record))
        self.context = replace(self.context, previous={**self.context.previous, record.id: WORDS.get(outcome, "failed")})
        try:
            await self._journal.outcome(self.run, record)
        except JournalUnavailable:
            return record  # the act is done; its open intent is settled by looking, and the next intent is refused anyhow
        return record


def _judged(error: StepError) -> tuple[StepOutcome, str]:
    kinds = {StepImpossible: StepOutcome.IMPOSSIBLE, NeedsPerson: StepOutcome.NEEDS_PERSON, Superseded: StepOutcome.SUPERSEDED}
    return next((outcome for kind, outcome in kinds.items() if isinstance(error, kind)), StepOutcome.FAILED), str(error)


def _with(steps: tuple[StepRecord, ...], record: StepRecord) -> tuple[StepRecord, ...]:
    """One row per step: the newest record of an index replaces the older one."""
    return (*(s for s in steps if s.index != record.index), record)
