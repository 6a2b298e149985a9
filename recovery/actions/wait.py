"""Waits. A hold or a new configuration ends the wait at once.

- wait: {for: 30s}
"""

from __future__ import annotations

from dataclasses import dataclass

from recovery.model import Effect
from recovery.params import Seconds
from recovery.ports import Context, Result, Target
from recovery.units import format_duration

EFFECT = Effect.NONE
IDEMPOTENT = True


@dataclass(frozen=True, slots=True)
class Params:
    """for: seconds."""

    for_: Seconds


def takes(params: Params, _target: Target) -> float:
    """Seconds that the step may need by its own parameters."""
    return params.for_


async def run(params: Params, context: Context) -> Result:
    await context.clock.sleep(params.for_)
    return Result(f"waited {format_duration(params.for_)}")
