"""`process: true`: well while the runtime says that it runs."""

from __future__ import annotations

import asyncio
from typing import Protocol

from recovery.errors import StepError
from recovery.ports import Life, Sight
from watchdog.clock import Clock
from watchdog.model.observation import Kind, Observation


class Looks(Protocol):
    """All of `recovery.ports.Runtime` that a probe may use."""

    async def look(self) -> Sight: ...


async def ask_process(runtime: Looks | None, deadline: float, clock: Clock) -> Observation:
    """One look. What cannot be seen is `unknown`, never an illness. Raises nothing but cancellation."""
    if runtime is None:
        return Observation(clock.now(), Kind.UNKNOWN, "it has no runtime that could be looked at")
    started = clock.monotonic()
    try:
        async with asyncio.timeout(deadline):
            sight = await runtime.look()
    except TimeoutError:
        return Observation(clock.now(), Kind.UNKNOWN, "could not look in time")
    except StepError as error:
        return Observation(clock.now(), Kind.UNKNOWN, f"could not look: {error}")
    if sight.life is Life.RUNNING:
        return Observation(clock.now(), Kind.OK, latency=clock.monotonic() - started)
    if sight.life is Life.BUSY:
        return Observation(clock.now(), Kind.STARTING, sight.detail or "its supervisor is at work")
    code = f" (exit code {sight.exit_code})" if sight.exit_code is not None else ""
    return Observation(clock.now(), Kind.NO_ANSWER, f"not running{code}")
