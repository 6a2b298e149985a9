"""Carries out runs: steps, safe points, proof (SPEC 6), and goes on with runs of an earlier life of the daemon (SPEC 7).

It returns a Run and never raises.
"""

from __future__ import annotations

from dataclasses import replace

from recovery.errors import JournalUnavailable, Superseded
from recovery.model import Playbook, Run, RunOutcome, Step, StepOutcome
from recovery.ports import Clock, Context, Journal, Leash, Settled, Stop
from recovery.proof import prove
from recovery.registry import Registry
from recovery.settle import took_down
from recovery.steps import Execution

ENDS = {
    Stop.HOLD: RunOutcome.HELD,
    Stop.BY_HAND: RunOutcome.HELD,
    Stop.SUPERSEDED: RunOutcome.SUPERSEDED,
    Stop.REMOVED: RunOutcome.SUPERSEDED,
    Stop.CANCEL: RunOutcome.INTERRUPTED,
}
"""How a run ends that was called back."""

Ending = tuple[RunOutcome, str]


class Engine:
    """One for all services; a run has no state here."""

    def __init__(self, registry: Registry, clock: Clock, journal: Journal) -> None:
        self._registry = registry
        self._clock = clock
        self._journal = journal

    async def run(self, run: Run, playbook: Playbook, context: Context, leash: Leash) -> Run:
        """Carry out every step and the proof; the run as it ended. Only CancelledError is raised, and leaves it open on disk.

        A journal that cannot be written ends an untouched run as `interrupted` with nothing done. A run that has touched its
        target asks again for a minute; then it ends the same here, while its row stays open on disk and is settled by looking.
        """
        return await self._ended(Execution(run, context, self._registry, self._clock, self._journal), playbook, leash, 0)

    async def resume(self, settled: Settled, playbook: Playbook, context: Context, leash: Leash) -> Run:
        """Go on with a run as `settle` found it, or write down its end. What runs now was judged there to be ours."""
        execution = Execution(settled.run, context, self._registry, self._clock, self._journal)
        if settled.go_on is None:
            refunded = settled.run.refunded or settled.refund
            execution.run = replace(execution.run, refunded=refunded)
            return await self._close(execution, (settled.outcome or RunOutcome.INTERRUPTED, settled.detail))
        sight = await execution.look()
        execution.mine = sight.instance if sight is not None else None
        return await self._ended(execution, playbook, leash, settled.go_on)

    async def capture(self, context: Context) -> None:
        """Evidence at once, outside of any run: a bot called itself critical (SPEC 4). Never raises, never delays beyond 10 s."""
        spec = self._registry["capture_evidence"]
        try:
            await spec.run(spec.params(), context)
        except Exception as error:  # noqa: BLE001 - evidence that cannot be taken must never stand in the way
            context.note(f"no evidence could be kept: {error}")

    async def _ended(self, execution: Execution, playbook: Playbook, leash: Leash, first: int) -> Run:
        try:
            ending = await self._carry_out(execution, playbook, leash, first)
        except JournalUnavailable as error:
            ending = (RunOutcome.INTERRUPTED, f"the journal cannot be written, no act without it: {error}")
        except Exception as error:  # noqa: BLE001 - a fault of ours ends one run, not the daemon
            ending = (RunOutcome.INTERRUPTED, f"the engine failed: {type(error).__name__}: {error}")
        return await self._close(execution, ending)

    async def _carry_out(self, execution: Execution, playbook: Playbook, leash: Leash, first: int) -> Ending:
        resumed_proof = execution.run.proving_at is not None
        for index, step in enumerate(playbook.steps):
            if index < first:
                continue
            if _called(leash):
                return await self._called_back(execution, playbook, leash)
            try:
                record = await execution.perform(step, index, leash)
            except Superseded as error:
                return RunOutcome.SUPERSEDED, f"before {step.action}: {error}"
            if record.outcome is StepOutcome.SUPERSEDED:
                return RunOutcome.SUPERSEDED, f"{step.action}: {record.detail}"
            if record.outcome is StepOutcome.NEEDS_PERSON:
                return RunOutcome.NEEDS_PERSON, f"{step.action}: {record.detail}"
            if _called(leash):
                return await self._called_back(execution, playbook, leash)
            if record.outcome in (StepOutcome.FAILED, StepOutcome.IMPOSSIBLE) and not step.go_on:
                return RunOutcome.FAILED, f"{step.action}: {record.detail}"
        if first and not resumed_proof:
            await self._bring_back(execution, playbook, leash)
        return await self._prove(execution, playbook, leash)

    async def _prove(self, execution: Execution, playbook: Playbook, leash: Leash) -> Ending:
        if _called(leash):
            return await self._called_back(execution, playbook, leash)
        await execution.prove()
        proven = await prove(playbook.verify, execution.context, leash, self._clock, execution.mine)
        if proven.outcome is None:
            return await self._called_back(execution, playbook, leash)
        return proven.outcome, proven.detail

    async def _called_back(self, execution: Execution, playbook: Playbook, leash: Leash) -> Ending:
        """A safe point: what we stopped is brought up again, then the run ends as it was told (SPEC 5, step 2)."""
        outcome = ENDS[leash.order or Stop.CANCEL]
        if leash.order is Stop.BY_HAND:
            return await self._in_other_hands(execution, leash)
        if not execution.run.touched:
            return outcome, _because(leash, "nothing was touched")
        return outcome, _because(leash, await self._bring_back(execution, playbook, leash))

    async def _in_other_hands(self, execution: Execution, leash: Leash) -> Ending:
        """Their intent wins: `superseded` when they started it anew, `held` when it is left to them as it is."""
        runtime = execution.context.runtime
        if runtime is not None and runtime.hindsight:
            await self._clock.sleep(runtime.hindsight)
        sight = await execution.look()
        newer = sight is not None and sight.running and sight.instance != execution.run.target
        return RunOutcome.SUPERSEDED if newer else RunOutcome.HELD, _because(leash, "it was left as it is")

    async def _bring_back(self, execution: Execution, playbook: Playbook, leash: Leash) -> str:
        """Start a target that we stopped and that nobody is bringing up; a line about it."""
        sight = await execution.look()
        # An engine may need a moment to notice the end, and a supervisor to follow it: the step waits for both.
        if sight is None or sight.running or not took_down(execution.run):
            return "it was left as it is"
        index = max(len(playbook.steps), *(s.index + 1 for s in execution.run.steps))
        try:
            record = await execution.perform(self._start_step(), index, leash)
        except Superseded as error:
            return f"it was left as it is: {error}"
        return "brought up again" if record.outcome is StepOutcome.OK else f"it could not be brought up again: {record.detail}"

    def _start_step(self) -> Step:
        spec = self._registry["ensure_running"]
        params = spec.params()
        return Step(id="bring_back", action=spec.name, params=params, effect=spec.effect, idempotent=spec.idempotent)

    async def _close(self, execution: Execution, ending: Ending) -> Run:
        outcome, detail = ending
        run = execution.run
        refunded = run.refunded or not run.touched
        run = replace(run, ended_at=self._clock.now(), outcome=outcome, detail=" ".join(detail.split()), refunded=refunded)
        try:
            await self._journal.ended(run)
        except JournalUnavailable:
            return run  # its row stays open on disk; whoever receives the run writes it again, or the next life settles it
        return run


def _called(leash: Leash) -> bool:
    """Asked anew each time: it may change while anything is awaited."""
    return leash.order is not None


def _because(leash: Leash, done: str) -> str:
    return f"{leash.why or 'called back'}; {done}"
