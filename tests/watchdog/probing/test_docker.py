"""`docker: true`: what Docker says of a container is the verdict, and what it cannot say is none."""

from __future__ import annotations

import asyncio

import pytest

from recovery.adapters.docker_rows import Listed
from recovery.errors import EngineAway
from watchdog.clock import Clock
from watchdog.model.observation import Kind
from watchdog.probing.docker import ask_docker


class Told:
    """A runtime of which only Docker's word matters: a row, none, an error, or `...` for one that never comes."""

    def __init__(self, row: object) -> None:
        self.row = row

    async def health(self) -> Listed | None:
        if self.row is ...:
            await asyncio.Event().wait()
        if isinstance(self.row, Exception):
            raise self.row
        assert self.row is None or isinstance(self.row, Listed)
        return self.row


def row(state: str, status: str = "", health: str | None = None) -> Listed:
    return Listed("scraper", "ab", state, status, health)


@pytest.mark.parametrize(
    ("told", "kind", "detail"),
    [
        (row("running", "Up 2 hours"), Kind.OK, ""),
        (row("running", "Up 2 hours (healthy)", "healthy"), Kind.OK, ""),
        (row("running", "Up 2 hours (unhealthy)", "unhealthy"), Kind.CRITICAL, "Docker says unhealthy"),
        (row("running", "Up 1 second", "starting"), Kind.STARTING, "Docker says its health check is starting"),
        (row("restarting", "Restarting (1) 2 seconds ago"), Kind.STARTING, "Docker restarts it"),
        (row("exited", "Exited (137) 3 seconds ago"), Kind.NO_ANSWER, "not running: Exited (137) 3 seconds ago"),
        (row("created", "Created"), Kind.NO_ANSWER, "not running: Created"),
        (row("dead"), Kind.NO_ANSWER, "not running: dead"),
        (row("removing"), Kind.NO_ANSWER, "not running: removing"),
        (row("paused", "Up 2 hours (Paused)"), Kind.NO_ANSWER, "paused"),
        (None, Kind.NO_ANSWER, "there is no such container"),
        (EngineAway("Docker is not there"), Kind.UNKNOWN, "could not ask: Docker is not there"),
        (..., Kind.UNKNOWN, "could not ask in time"),
    ],
)
async def test_a_container_is_as_docker_says(told: object, kind: Kind, detail: str) -> None:
    seen = await ask_docker(Told(told), 0.05, Clock())
    assert (seen.kind, seen.detail) == (kind, detail)
    assert (seen.latency is None) == (kind in (Kind.NO_ANSWER, Kind.UNKNOWN))


async def test_without_a_container_nothing_can_be_said() -> None:
    assert (await ask_docker(None, 1.0, Clock())).kind is Kind.UNKNOWN
