"""Runs a command of the configuration by its name in `commands`; a playbook never holds an argument list of its own.

`effect` says what the command does to the bot (none, reload, restart, destructive); restart unless told.

    - run_command: {name: clear-lock, effect: none, within: 30s}
"""

from __future__ import annotations

from dataclasses import dataclass

from recovery.errors import StepImpossible
from recovery.model import Effect
from recovery.params import Seconds
from recovery.ports import Context, Result, Target

EFFECT = Effect.RESTART
IDEMPOTENT = False


@dataclass(frozen=True, slots=True)
class Params:
    """name: a key of `commands`. within: seconds until the command must have ended."""

    name: str
    effect: Effect = Effect.RESTART
    within: Seconds = 55.0


def takes(params: Params, _target: Target) -> float:
    """Seconds that the step may need by its own parameters."""
    return params.within


async def run(params: Params, context: Context) -> Result:
    if params.name not in context.target.commands:
        raise StepImpossible(f"the configuration has no command '{params.name}'")
    return Result(await context.outside.run_command(params.name, context.target.service, params.within))
