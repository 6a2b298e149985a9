"""`docker: true`: as well as Docker itself says, by its own health check where the image has one."""

from __future__ import annotations

import asyncio
from typing import Protocol

from recovery.adapters.docker_rows import Listed
from recovery.errors import StepError
from watchdog.clock import Clock
from watchdog.model.observation import Kind, Observation
from watchdog.probing.lines import one_line


class Tells(Protocol):
    """All of `recovery.runtimes.docker.DockerRuntime` that a probe may use."""

    async def health(self) -> Listed | None: ...


async def ask_docker(runtime: Tells | None, deadline: float, clock: Clock) -> Observation:
    """One line of Docker's list. An engine that is away is `unknown`, never an illness. Raises nothing but cancellation."""
    if runtime is None:
        return Observation(clock.now(), Kind.UNKNOWN, "it has no container that Docker could be asked about")
    started = clock.monotonic()
    try:
        async with asyncio.timeout(deadline):
            row = await runtime.health()
    except TimeoutError:
        return Observation(clock.now(), Kind.UNKNOWN, "could not ask in time")
    except StepError as error:
        return Observation(clock.now(), Kind.UNKNOWN, one_line(f"could not ask: {error}"))
    kind, words = judge_container(row)
    return Observation(clock.now(), kind, words, latency=None if kind is Kind.NO_ANSWER else clock.monotonic() - started)


def judge_container(row: Listed | None) -> tuple[Kind, str]:
    """Pure. The verdict on one line, and why in words when it is not well."""
    if row is None:
        return Kind.NO_ANSWER, "there is no such container"
    if row.state == "paused":
        return Kind.NO_ANSWER, "paused"
    if row.state == "restarting":
        return Kind.STARTING, "Docker restarts it"
    if row.state != "running":
        return Kind.NO_ANSWER, one_line(f"not running: {row.status or row.state}")
    if row.health == "unhealthy":
        return Kind.CRITICAL, "Docker says unhealthy"
    if row.health == "starting":
        return Kind.STARTING, "Docker says its health check is starting"
    return Kind.OK, ""
