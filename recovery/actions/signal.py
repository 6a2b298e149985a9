"""Sends one signal to the main process of the bot, and only to the instance decided on.

HUP, INT, QUIT, USR1, USR2, WINCH or CONT. To end a bot there is `stop_process`, which proves its death.

    - signal: {name: USR1}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recovery.errors import StepFailed, StepImpossible
from recovery.model import Effect
from recovery.ports import Context, Result

EFFECT = Effect.RELOAD
IDEMPOTENT = False


@dataclass(frozen=True, slots=True)
class Params:
    """name: the signal, without SIG."""

    name: Literal["HUP", "INT", "QUIT", "USR1", "USR2", "WINCH", "CONT"]


async def run(params: Params, context: Context) -> Result:
    if context.runtime is None:
        raise StepImpossible("the service has no runtime, there is nothing to signal")
    if not context.sight.running:
        raise StepFailed("it does not run, there is nothing to signal")
    await context.runtime.signal(context.sight, params.name)
    return Result(f"SIG{params.name} sent")
