"""Sees to it that the bot runs, and never starts it twice.

A running bot is left alone; while its supervisor is at work on it the step waits and looks again; only what is at rest is
started.

    - ensure_running: {within: 30s}
"""

from __future__ import annotations

from dataclasses import dataclass

from recovery.errors import StepFailed, StepImpossible
from recovery.model import Effect
from recovery.params import Seconds
from recovery.ports import Context, Life, Result, Sight, Target
from recovery.units import format_duration

EFFECT = Effect.RESTART
IDEMPOTENT = True

LOOK_EVERY = 0.5
"""Seconds between two looks at a target whose supervisor is busy."""


@dataclass(frozen=True, slots=True)
class Params:
    """within: seconds until the bot must be seen running."""

    within: Seconds = 30.0


def takes(params: Params, _target: Target) -> float:
    """Seconds that the step may need by its own parameters."""
    return params.within


async def run(params: Params, context: Context) -> Result:
    runtime, clock = context.runtime, context.clock
    if runtime is None:
        raise StepImpossible("the service has no runtime, nothing here can start it")
    began = clock.monotonic()
    sight = await runtime.look()
    waited = False
    while sight.life is Life.BUSY:
        waited = True
        if clock.monotonic() - began >= params.within:
            raise StepFailed(
                f"its supervisor is still at work on it after {format_duration(params.within)}: {sight.detail or sight.life}"
            )
        await clock.sleep(LOOK_EVERY)
        sight = await runtime.look()
    if sight.running:
        return Result("its supervisor brought it back" if waited else "it runs", sight)
    return Result("started", _alive(await runtime.start()))


def _alive(sight: Sight) -> Sight:
    if sight.at_rest:
        code = "" if sight.exit_code is None else f" with exit code {sight.exit_code}"
        raise StepFailed(f"started, and it ended at once{code}")
    return sight
