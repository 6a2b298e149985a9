"""Events come in order, none is lost, and the thread that reads them goes when nobody listens any more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recovery.adapters.docker_client import EngineClient
from recovery.adapters.docker_events import follow
from recovery.errors import EngineAway
from tests.fakes.fake_engine import CANARY, FakeEngine, fake_engine


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[FakeEngine]:
    with fake_engine(tmp_path) as running:
        running.make("scraper", "sleep", "60")
        yield running


@pytest.fixture
def client(engine: FakeEngine) -> EngineClient:
    return EngineClient(engine.url, 0.3)


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "Docker events"]


async def none_reads() -> None:
    async with asyncio.timeout(2):
        while readers():
            await asyncio.sleep(0.01)


async def test_many_events_at_once_arrive_in_order_and_without_their_labels(engine: FakeEngine, client: EngineClient) -> None:
    stream = await follow(client, None, 2)
    scraper = engine.containers["scraper"]

    def write() -> None:
        for number in range(200):
            engine.tell("kill", scraper, signal=str(number))

    threading.Thread(target=write).start()
    told = [await stream.next() for _ in range(200)]
    assert [each and each["signal"] for each in told] == [str(number) for number in range(200)]
    assert CANARY not in repr(told)
    stream.close()
    await none_reads()


async def test_events_since_a_moment_come_first(engine: FakeEngine, client: EngineClient) -> None:
    stream = await follow(client, 1.0, 2)
    assert [(await stream.next() or {})["Action"] for _ in range(2)] == ["create", "start"]
    stream.close()
    assert await stream.next() is None


async def test_the_stream_ends_with_its_engine(engine: FakeEngine, client: EngineClient) -> None:
    stream = await follow(client, None, 2)
    engine.disappear()
    assert await asyncio.wait_for(stream.next(), 2) is None
    await none_reads()


async def test_f15_an_engine_that_opens_no_stream_is_away_and_leaves_no_thread(engine: FakeEngine, client: EngineClient) -> None:
    engine.faults["events"] = "hang"
    with pytest.raises(EngineAway, match="Docker gave no answer in time"):
        await follow(client, None, 2)
    with pytest.raises(EngineAway, match="Docker opened no stream of events in time"):
        await follow(client, None, 0.05)
    await none_reads()


async def test_a_stream_that_opens_after_nobody_waits_any_more_is_closed(engine: FakeEngine, client: EngineClient) -> None:
    engine.faults["events"] = 0.1
    waiting = asyncio.ensure_future(follow(client, None, 2))
    await asyncio.sleep(0.02)
    waiting.cancel()
    await none_reads()
    async with asyncio.timeout(2):
        while len(engine.open) > 1:  # the one that the version was asked on is kept
            engine.tell("oom", engine.containers["scraper"])  # only who writes to it notices
            await asyncio.sleep(0.01)
