"""Starts the bot by its runtime. A bot that runs already is left as it is.

- start: {}
"""

from __future__ import annotations

from dataclasses import dataclass

from recovery.errors import StepFailed, StepImpossible
from recovery.model import Effect
from recovery.ports import Context, Result

EFFECT = Effect.RESTART
IDEMPOTENT = True


@dataclass(frozen=True, slots=True)
class Params:
    """No parameters."""


async def run(_params: Params, context: Context) -> Result:
    if context.runtime is None:
        raise StepImpossible("the service has no runtime, nothing here can start it")
    before = await context.runtime.look()
    if before.running:
        return Result("it runs already", before)
    sight = await context.runtime.start()
    if sight.at_rest:
        code = "" if sight.exit_code is None else f" with exit code {sight.exit_code}"
        raise StepFailed(f"started, and it ended at once{code}")
    return Result("started", sight)
