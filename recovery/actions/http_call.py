"""Calls, with POST, a URL of the configuration: that of a probe or of a reload. Any other URL is impossible.

`effect` says what the call does to the bot (none, reload, restart, destructive); restart unless told.

    - http_call: {url: "http://127.0.0.1:8101/reload", effect: reload, within: 10s}
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
    """url: one that stands in the configuration, of any service. within: seconds for the answer."""

    url: str
    effect: Effect = Effect.RESTART
    within: Seconds = 10.0


def takes(params: Params, _target: Target) -> float:
    """Seconds that the step may need by its own parameters."""
    return params.within


async def run(params: Params, context: Context) -> Result:
    if params.url not in context.target.urls:
        raise StepImpossible(f"the configuration of {context.target.service} does not name this URL")
    return Result(await context.outside.http_call(params.url, params.within))
