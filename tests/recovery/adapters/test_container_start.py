"""One request, and eyes instead of a second one."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recovery.adapters import container_start
from recovery.adapters.container_start import PortTaken, start_container, whose_port
from recovery.adapters.docker_host import DockerHost
from recovery.errors import EngineAway, OutcomeUnknown, StepFailed
from tests.fakes.fake_engine import FakeEngine, fake_engine
from tests.fakes.ports import free_port
from watchdog.clock import Clock

READ = 0.3


class Hasty(Clock):
    """Monotonic time and sleep run twenty times as fast."""

    def monotonic(self) -> float:
        return super().monotonic() * 20

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds / 20)


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[FakeEngine]:
    with fake_engine(tmp_path) as running:
        running.make("scraper", "sleep", "60", running=False)
        yield running


@pytest.fixture
async def host(engine: FakeEngine) -> AsyncIterator[DockerHost]:
    one = DockerHost(Clock(), engine.url, read=READ, start=READ)
    yield one
    await one.close()


@pytest.mark.parametrize("late", [0.05, 0.6])
async def test_f15_a_start_without_an_answer_that_happened_is_seen_and_not_repeated(
    engine: FakeEngine, host: DockerHost, late: float
) -> None:
    engine.faults["start"], engine.late = "hang", late
    await start_container("scraper", host, Clock())
    assert engine.count("start") == 1
    assert len(engine.containers["scraper"].starts) == 1


async def test_f15_a_start_without_an_answer_that_was_not_seen_stays_unknown(engine: FakeEngine, host: DockerHost) -> None:
    engine.faults["start"] = "hang"
    with pytest.raises(OutcomeUnknown, match="what became of it is not known"):
        await start_container("scraper", host, Hasty())
    assert engine.count("start") == 1


async def test_f15_the_engine_dies_while_it_starts_and_is_looked_at_when_it_is_back(engine: FakeEngine, host: DockerHost) -> None:
    engine.faults["start"] = 0.2
    starting = asyncio.ensure_future(start_container("scraper", host, Clock()))
    while not engine.count("start"):
        await asyncio.sleep(0.01)
    engine.disappear()
    engine.run(engine.containers["scraper"])
    engine.faults.clear()
    await asyncio.sleep(0.5)
    engine.appear()
    await starting
    assert engine.count("start") == 1


async def test_f15_an_engine_that_is_away_before_it_is_asked_was_not_asked(engine: FakeEngine, host: DockerHost) -> None:
    engine.disappear()
    with pytest.raises(EngineAway):
        await start_container("scraper", host, Clock())


async def test_a_taken_port_is_named(engine: FakeEngine, host: DockerHost) -> None:
    engine.refusals = [(500, "Bind for 0.0.0.0:8080 failed: port is already allocated"), (500, "no such image")]
    with pytest.raises(PortTaken, match="port is already allocated") as told:
        await start_container("scraper", host, Clock())
    assert told.value.port == 8080
    with pytest.raises(StepFailed, match="no such image") as other:
        await start_container("scraper", host, Clock())
    assert not isinstance(other.value, PortTaken)


async def test_the_owner_of_a_port_is_another_container_or_a_process_or_nobody_to_be_seen(
    engine: FakeEngine, host: DockerHost
) -> None:
    engine.make("web", "sleep", "60", ports=(8080,))
    assert await whose_port("scraper", 8080, host) == "port 8080 is taken by container web; that is left to a person"
    port = free_port()
    with socket.create_server(("127.0.0.1", port)):
        assert (await whose_port("scraper", port, host)).startswith(f"port {port} is taken by pid {os.getpid()} (")
    assert "somebody who cannot be seen" in await whose_port("scraper", port, host)
    assert "Docker does not say which" in await whose_port("scraper", 0, host)
    engine.disappear()
    host.forget()
    assert "somebody who cannot be seen" in await whose_port("scraper", port, host)


def test_looks_after_a_lost_answer_leave_time_for_the_step() -> None:
    assert container_start.SETTLE_WITHIN < 60
