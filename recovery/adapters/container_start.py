"""Starts a container through the engine: one request, whose unknown outcome is settled by looking and never by a second one."""

from __future__ import annotations

from recovery.adapters.docker_host import DockerHost
from recovery.adapters.docker_rows import Inspected
from recovery.adapters.lanes import in_thread
from recovery.adapters.port_owner import port_owner, taken_port
from recovery.errors import OutcomeUnknown, StepError, StepFailed
from recovery.ports import Clock

SETTLE_WITHIN = 10.0
"""Seconds within which a start that gave no answer must be seen to have happened."""

LOOK_AGAIN = 1.0
"""Seconds between two such looks."""


class PortTaken(StepFailed):
    """A port that the container needs belongs to somebody else. port: 0 when Docker does not name it."""

    def __init__(self, message: str, port: int) -> None:
        super().__init__(message)
        self.port = port


async def start_container(name: str, host: DockerHost, clock: Clock) -> None:
    """Returns when the engine says, or is seen, to have started it. Raises PortTaken, StepFailed, OutcomeUnknown."""
    before = await _since(name, host)
    try:
        await host.start(name)
    except OutcomeUnknown:
        if not await _happened(name, host, clock, before):
            raise
    except StepFailed as error:
        port = taken_port(str(error))
        if port is None:
            raise
        raise PortTaken(str(error), port) from error


async def _happened(name: str, host: DockerHost, clock: Clock, before: str | None) -> bool:
    """It has another start than before; compared as text, so that no clock has a say in it."""
    until = clock.monotonic() + SETTLE_WITHIN
    while True:
        try:
            now = await _since(name, host)
        except StepFailed:
            now = None
        if now is not None and now != before:
            return True
        if clock.monotonic() >= until:
            return False
        await clock.sleep(LOOK_AGAIN)


async def _since(name: str, host: DockerHost) -> str | None:
    """When it was started last; None when it is not there."""
    raw = await host.inspect(name)
    return None if raw is None else Inspected.read(raw).since


async def whose_port(name: str, port: int, host: DockerHost) -> str:
    """For a person: who has the port that the container `name` needs. Touches nobody."""
    if not port:
        return "a port that it needs is taken, Docker does not say which"
    try:
        holders = [f"container {row.name}" for row in (await host.listed()).values() if port in row.ports and row.name != name]
        owner = holders[0] if holders else await in_thread(lambda: port_owner(port), "port owner")
    except StepError:
        owner = ""
    return f"port {port} is taken by {owner or 'somebody who cannot be seen'}; that is left to a person"
