"""Stops the bot as `stop_process` does, and starts it again, in one step.

A bot that does not run is only started; one that its supervisor is at work on is left to it, and the step failed.

    - restart: {grace: 30s}
"""

from __future__ import annotations

from dataclasses import dataclass

from recovery.errors import StepFailed, StepImpossible
from recovery.model import Effect
from recovery.params import Seconds
from recovery.ports import Context, Life, Result, Target

EFFECT = Effect.RESTART
IDEMPOTENT = False


@dataclass(frozen=True, slots=True)
class Params:
    """grace: seconds from SIGTERM to SIGKILL; the service's `term_grace` counts when it is longer."""

    grace: Seconds | None = None


def takes(params: Params, target: Target) -> float:
    """Seconds that the step may need by its own parameters: the longer of both graces, and as much to start."""
    return 2 * max(params.grace or 0.0, target.term_grace)


async def run(params: Params, context: Context) -> Result:
    runtime = context.runtime
    if runtime is None:
        raise StepImpossible("the service has no runtime, nothing here can restart it")
    if context.sight.life is Life.BUSY:
        raise StepFailed(f"its supervisor is at work on it: {context.sight.detail or 'busy'}")
    how = "it did not run"
    if context.sight.running:
        how = await runtime.stop(context.sight, max(params.grace or 0.0, context.target.term_grace))
    sight = await runtime.start()
    if sight.at_rest:
        code = "" if sight.exit_code is None else f" with exit code {sight.exit_code}"
        raise StepFailed(f"{how}; started, and it ended at once{code}")
    return Result(f"{how}; started", sight)
