"""What became of a run that a dead daemon left open: found by looking at the target, never by executing again (SPEC 7, table).

| what is seen | what follows |
| --- | --- |
| a newer instance than at the first act | the act happened: `ok (seen)`, on with the proof |
| ours, and nothing runs | we stopped it: on with the steps that bring it back, then proof |
| the old instance, alive, our act not known to have ended | it did not happen: `interrupted`, refunded |
| the run was in proof | proof again, with a full window |
| anything else | `interrupted`; an open destructive step: a person |
"""

from __future__ import annotations

from dataclasses import replace

from recovery.errors import StepError
from recovery.model import Effect, Playbook, Run, RunOutcome, StepOutcome, StepRecord
from recovery.ports import Context, Settled, Sight

SLACK = 2.0
"""Seconds by which a start time read from the system may lie before the intent that led to it."""

_ENDINGS = {
    StepOutcome.NEEDS_PERSON: RunOutcome.NEEDS_PERSON,
    StepOutcome.SUPERSEDED: RunOutcome.SUPERSEDED,
    StepOutcome.FAILED: RunOutcome.FAILED,
    StepOutcome.IMPOSSIBLE: RunOutcome.FAILED,
}


def first_act(run: Run) -> StepRecord | None:
    """The first step that was to start or stop the target, if one was begun."""
    return next((s for s in run.steps if s.effect.charged and s.outcome is not StepOutcome.SKIPPED), None)


def took_down(run: Run) -> bool:
    """Something ran before our first act: if nothing runs now, it is ours to bring back."""
    act = first_act(run)
    return act is not None and bool(act.before)


async def settle(run: Run, playbook: Playbook, context: Context) -> Settled:
    """One look, and the run's way on. Raises nothing; a target that cannot be seen is a run that cannot be told."""
    if run.ended_at is not None:
        return Settled(run, None, run.outcome, run.detail)
    if run.proving_at is not None:
        return Settled(run, len(playbook.steps), detail="the proof begins again")
    over = _aborted(run, playbook)
    if over is not None:
        return over
    sight = await _look(context)
    if sight is None:
        return _untold(run, "the target cannot be seen")
    return _by_sight(run, playbook, sight, context.clock.now())


def _by_sight(run: Run, playbook: Playbook, sight: Sight, now: float) -> Settled:
    opened = _open(run)
    if opened is not None and opened.effect is Effect.DESTRUCTIVE:
        return Settled(run, None, RunOutcome.NEEDS_PERSON, f"the daemon ended during {opened.action}, what it did cannot be told")
    act = first_act(run)
    if sight.running and act is not None and sight.instance != act.before:
        if sight.started_at is not None and sight.started_at < act.intent_at - SLACK:
            return _untold(run, "another instance runs, and it is older than our act")
        seen = _resolved(run, StepOutcome.OK, "seen: a newer instance runs", now)
        return Settled(seen, len(playbook.steps), detail="the act happened, seen by the newer instance")
    if not sight.running and took_down(run):
        return _bring_back(run, playbook, now)
    if sight.running and sight.instance == (act.before if act else run.target):
        return _unchanged(run)
    return _untold(run, "nothing of ours was under way" if act is None else "what became of the act cannot be told")


def _bring_back(run: Run, playbook: Playbook, now: float) -> Settled:
    """On with the next step. The open one is begun again only if it is safe to and nothing ran when it began."""
    opened = _open(run)
    upcoming = max((s.index for s in run.steps), default=-1) + 1
    if opened is None:
        return Settled(run, upcoming, detail="we stopped it, it is brought back")
    again = not opened.before and opened.index < len(playbook.steps) and playbook.steps[opened.index].idempotent
    outcome, words = (StepOutcome.OK, "seen: it does not run") if opened.before else (StepOutcome.FAILED, "its end was not seen")
    seen = _resolved(run, outcome, words, now)
    return Settled(seen, opened.index if again else upcoming, detail="we stopped it, it is brought back")


def _unchanged(run: Run) -> Settled:
    """The old instance is alive. Only a run of which no act is known to have ended is refunded."""
    done = any(s.effect.charged and s.outcome not in (None, StepOutcome.SKIPPED) for s in run.steps)
    return Settled(run, None, RunOutcome.INTERRUPTED, "the daemon ended; the target is unchanged and alive", refund=not done)


def _untold(run: Run, why: str) -> Settled:
    opened = _open(run)
    if opened is not None and opened.effect is Effect.DESTRUCTIVE:
        return Settled(run, None, RunOutcome.NEEDS_PERSON, f"the daemon ended during {opened.action}: {why}")
    return Settled(run, None, RunOutcome.INTERRUPTED, f"the daemon ended; {why}", refund=not run.touched)


def _aborted(run: Run, playbook: Playbook) -> Settled | None:
    """The last step's outcome had ended the run already, only the end itself was not written."""
    last = max(run.steps, key=lambda s: s.index, default=None)
    if last is None or last.outcome not in _ENDINGS:
        return None
    final = last.outcome in (StepOutcome.NEEDS_PERSON, StepOutcome.SUPERSEDED)
    if not final and last.index < len(playbook.steps) and playbook.steps[last.index].go_on:
        return None
    return Settled(run, None, _ENDINGS[last.outcome], f"{last.action}: {last.detail}")


def _open(run: Run) -> StepRecord | None:
    return next((s for s in run.steps if s.outcome is None), None)


def _resolved(run: Run, outcome: StepOutcome, detail: str, now: float) -> Run:
    steps = tuple(replace(s, outcome=outcome, detail=detail, ended_at=now) if s.outcome is None else s for s in run.steps)
    return replace(run, steps=steps)


async def _look(context: Context) -> Sight | None:
    if context.runtime is None:
        return None
    try:
        return await context.runtime.look()
    except StepError:
        return None
