"""Asks the bot to read its configuration and connections anew, without ending it.

Only where the service declares how: `reload: {signal: HUP}` or `reload: {http: URL}`. Elsewhere the step is impossible.

    - reload: {}
"""

from __future__ import annotations

from dataclasses import dataclass

from recovery.errors import StepFailed, StepImpossible
from recovery.model import Effect
from recovery.params import Seconds
from recovery.ports import Context, Result, Target

EFFECT = Effect.RELOAD
IDEMPOTENT = True


@dataclass(frozen=True, slots=True)
class Params:
    """within: seconds for the answer when the reload goes over HTTP."""

    within: Seconds = 10.0


def takes(params: Params, _target: Target) -> float:
    """Seconds that the step may need by its own parameters."""
    return params.within


async def run(params: Params, context: Context) -> Result:
    declared = context.target.reload
    if declared is None:
        raise StepImpossible(f"{context.target.service} declares no reload")
    way, what = declared
    if way == "http":
        return Result(await context.outside.http_call(what, params.within))
    if context.runtime is None:
        raise StepImpossible("the service has no runtime, there is nothing to signal")
    if not context.sight.running:
        raise StepFailed("it does not run, nothing can be reloaded")
    await context.runtime.signal(context.sight, what)
    return Result(f"SIG{what} sent")
