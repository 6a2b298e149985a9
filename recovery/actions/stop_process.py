"""Ends the bot: SIGTERM, time to end by itself, then SIGKILL, for its whole process tree, and proves its death.

`grace` is how long it may take after SIGTERM; the service's own `term_grace` counts when it is longer. With `kill: false`
nothing is killed: a bot that is still alive after the grace stays as it is and the step failed. Only the instance decided on is
signalled. When somebody else takes it in hand meanwhile, as with `docker stop`, it is left to them, without a SIGKILL of ours.

    - stop_process: {}
    - stop_process: {grace: 30s, kill: false}
"""

from __future__ import annotations

from dataclasses import dataclass

from recovery.errors import StepImpossible
from recovery.model import Effect
from recovery.params import Seconds
from recovery.ports import Context, Result, Target

EFFECT = Effect.RESTART
IDEMPOTENT = True
YIELDS = True


@dataclass(frozen=True, slots=True)
class Params:
    """grace: seconds from SIGTERM to SIGKILL. kill: whether SIGKILL follows at all."""

    grace: Seconds | None = None
    kill: bool = True


def takes(params: Params, target: Target) -> float:
    """Seconds that the step may need by its own parameters: the longer of both graces (SPEC 6)."""
    return max(params.grace or 0.0, target.term_grace)


async def run(params: Params, context: Context) -> Result:
    if context.runtime is None:
        raise StepImpossible("the service has no runtime, there is nothing to stop")
    if not context.sight.running:
        return Result("it did not run any more")
    detail = await context.runtime.stop(context.sight, takes(params, context.target), kill=params.kill)
    return Result(detail)
