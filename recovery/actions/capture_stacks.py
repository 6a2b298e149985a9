"""Keeps what every thread of the bot is doing: the stacks of each Python process of its tree, taken by py-spy.

They are stored with the incident and shown by `watchdogctl incident`. The bot is stopped for some 15 ms; one that cannot be
stopped so (frozen, stopped, waiting for a device) is read as it is. Locals are never read. A thread that idles in select is said
in words: nothing blocks it, and what its coroutines wait for cannot be seen from outside. Impossible where nothing of the bot is
Python; it takes 15 seconds at most.

    - capture_stacks: {}
      timeout: 15s
      on_failure: continue
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from recovery.errors import StepFailed, StepImpossible
from recovery.model import Effect
from recovery.ports import Context, Result

EFFECT = Effect.NONE
IDEMPOTENT = True

LONGEST = 15.0
"""Seconds, whatever the step allows: a capture delays a recovery by no more (SPEC 6)."""


@dataclass(frozen=True, slots=True)
class Params:
    """No parameters."""


async def run(_params: Params, context: Context) -> Result:
    if context.runtime is None:
        raise StepImpossible("the service has no runtime, there is nothing to look into")
    if not context.sight.running:
        raise StepFailed("it does not run, there is nothing to look into")
    limit = asyncio.timeout(LONGEST)
    try:
        async with limit:
            stacks = await context.runtime.stacks(context.sight)
    except TimeoutError as error:
        raise StepFailed(f"no stacks within {LONGEST:g} s" if limit.expired() else f"timed out: {error}") from error
    context.keep("stacks", stacks.text)
    return Result(stacks.line)
