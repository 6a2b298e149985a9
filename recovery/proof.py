"""The proof of a run: fresh good answers in a row from the instance that is ours (SPEC 6, `verify`).

The first question is asked at once, then every `verify.every`, at most the service's interval. A bad answer never fails the
proof, it only begins the count anew: a bot that boots answers badly. It fails when the target is seen dead, when another instance
runs, or when `verify.within` (default `guards.proof`) has passed since the last step; but never before `after` (default: what is
left of startup_grace, from the start of the instance) and the questions that must follow it have had their time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from recovery.errors import StepError
from recovery.leash import drop
from recovery.model import RunOutcome, Verify
from recovery.ports import Clock, Context, Leash
from recovery.units import format_duration

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Proven:
    """outcome: healed or failed; None when the core called the run back. detail: one line."""

    outcome: RunOutcome | None
    detail: str


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds. every: between two questions. last: from now to the end of patience."""

    every: float
    last: float


def pace(verify: Verify, context: Context, now: float) -> Pace:
    """How often to ask and how long, for a proof that begins `now` (wall seconds)."""
    target = context.target
    every = min(verify.every, target.interval)
    grace = target.startup_grace if verify.after is None else verify.after
    started = now if context.sight.started_at is None else context.sight.started_at
    left = min(grace, max(0.0, started + grace - now))  # a clock that stepped back never makes it longer than the grace
    within = target.proof if verify.within is None else verify.within
    return Pace(every, max(within, left + verify.healthy * every))


async def prove(verify: Verify, context: Context, leash: Leash, clock: Clock, mine: str | None) -> Proven:
    """Ask until healed, failed or called back. mine: the only instance whose health counts; "" or None: the one seen first."""
    times = pace(verify, context, clock.now())
    watch = _Watch(context, leash, clock.sleep(times.last), mine)
    good, last = 0, "no answer yet"
    try:
        while True:
            asked = clock.monotonic()
            await watch.look()
            answer = await watch.first(context.ask())
            if answer.counts:
                good = good + 1 if answer.good else 0
            last = answer.text
            if good >= verify.healthy:
                await watch.look()
                return Proven(RunOutcome.HEALED, f"{good} good answers in a row: {last}" if good > 1 else last)
            await watch.first(clock.sleep(max(0.0, asked + times.every - clock.monotonic())))
    except _EndedError as end:
        if end.late:
            return Proven(RunOutcome.FAILED, f"not healthy within {format_duration(times.last)}, last answer: {last}")
        return Proven(end.outcome, str(end))
    finally:
        await watch.close()


class _EndedError(Exception):
    """The proof is over before it succeeded."""

    def __init__(self, outcome: RunOutcome | None, text: str, *, late: bool = False) -> None:
        super().__init__(text)
        self.outcome = outcome
        self.late = late


class _Watch:
    """What may end a proof while it asks or waits: the core, the clock, the death of the target."""

    def __init__(self, context: Context, leash: Leash, patience: Coroutine[Any, Any, None], mine: str | None) -> None:
        self._runtime = context.runtime
        self._leash = leash
        self._mine = mine
        self._clock = context.clock
        self._called: asyncio.Future[None] = asyncio.ensure_future(leash.wait())
        self._late: asyncio.Future[None] = asyncio.ensure_future(patience)
        self._dead: asyncio.Future[None] | None = None
        self._blind = False

    async def first(self, work: Awaitable[T]) -> T:
        """The result of `work`, unless one of the others comes first. Raises _EndedError, or what `work` raises."""
        task = asyncio.ensure_future(work)
        try:
            while not task.done():
                if self._leash.order is not None or self._called.done():
                    raise _EndedError(None, "called back")
                if self._late.done():
                    raise _EndedError(RunOutcome.FAILED, "", late=True)
                await asyncio.wait(self._all(task), return_when=asyncio.FIRST_COMPLETED)
                if self._dead is not None and self._dead.done():
                    await self._told_dead(self._dead)
            return task.result()
        finally:
            await drop(task)

    async def look(self) -> None:
        """Raises _EndedError when the target is dead or another instance runs; a target that cannot be seen proves nothing."""
        if self._runtime is None:
            return
        try:
            sight = await self._runtime.look()
        except StepError:
            return
        if sight.at_rest:
            await self._hindsight(self._runtime.hindsight)
            code = "" if sight.exit_code is None else f", exit code {sight.exit_code}"
            raise _EndedError(RunOutcome.FAILED, f"it ended during the proof{code}")
        if not sight.running:
            return
        if self._mine and sight.instance != self._mine:
            raise _EndedError(RunOutcome.FAILED, f"another instance runs now ({sight.instance})")
        self._mine = sight.instance
        if self._dead is None and not self._blind:
            self._dead = asyncio.ensure_future(self._runtime.gone(sight))

    async def _hindsight(self, seconds: float) -> None:
        """An end that somebody beside us meant is no failure: the core calls within moments."""
        if seconds and not self._called.done():
            pause = asyncio.ensure_future(self._clock.sleep(seconds))
            await asyncio.wait({pause, self._called}, return_when=asyncio.FIRST_COMPLETED)
            await drop(pause)
        if self._called.done():
            raise _EndedError(None, "called back")

    async def _told_dead(self, told: asyncio.Future[None]) -> None:
        """Look whether it is true. A watch that broke or was wrong is not begun again: the looks between questions remain."""
        self._dead, self._blind = None, True
        if not told.cancelled() and told.exception() is None:
            await self.look()

    def _all(self, task: asyncio.Future[Any]) -> set[asyncio.Future[Any]]:
        return {future for future in (task, self._called, self._late, self._dead) if future is not None}

    async def close(self) -> None:
        await drop(*self._all(self._called))
