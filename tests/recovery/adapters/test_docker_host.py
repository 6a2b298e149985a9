"""One engine from the loop: lazily, with deadlines, and without one container's trouble becoming another's (F14, F15)."""

from __future__ import annotations

import asyncio
import json
import struct
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from recovery.adapters.docker_host import FRESH, DockerHost
from recovery.errors import EngineAway, OutcomeUnknown, StepFailed
from tests.fakes.fake_engine import CANARY, FakeEngine, fake_engine
from watchdog.clock import Clock

READ = 0.3


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[FakeEngine]:
    with fake_engine(tmp_path) as running:
        running.make("scraper", "sleep", "60")
        running.make("database", "sleep", "60")
        yield running


@pytest.fixture
async def host(engine: FakeEngine) -> AsyncIterator[DockerHost]:
    one = DockerHost(Clock(), engine.url, read=READ, start=READ)
    yield one
    await one.close()


def name_of(raw: dict[str, object] | None) -> object:
    return raw and raw["Name"]


async def test_nothing_is_asked_before_somebody_asks_and_then_the_connection_is_made_once(
    engine: FakeEngine, host: DockerHost
) -> None:
    assert engine.asked == []
    found = await asyncio.gather(*(host.inspect(name) for name in ("scraper", "database", "nobody") * 5))
    assert [name_of(raw) for raw in found[:3]] == ["/scraper", "/database", None]
    assert engine.count("version") == 1


async def test_f14_while_the_engine_is_away_calls_fail_from_memory_and_its_return_is_noticed_within_seconds(
    engine: FakeEngine, host: DockerHost
) -> None:
    engine.disappear()
    began = time.monotonic()
    for _ in range(100):
        with pytest.raises(EngineAway, match="Docker is not there"):
            await host.inspect("scraper")
    assert time.monotonic() - began < FRESH
    engine.appear()
    with pytest.raises(EngineAway, match="Docker is not there"):
        await host.ping()
    assert engine.asked == []
    async with asyncio.timeout(3):
        while True:
            try:
                await host.ping()
                break
            except EngineAway:
                await asyncio.sleep(0.05)
    assert name_of(await host.inspect("scraper")) == "/scraper"


async def test_f15_an_engine_that_was_started_again_is_asked_as_if_nothing_had_been(engine: FakeEngine, host: DockerHost) -> None:
    await host.ping()
    engine.disappear()
    engine.appear()
    assert name_of(await host.inspect("scraper")) == "/scraper"


@pytest.mark.parametrize("fault", ["hang", "500", "gone", "cut"])
async def test_f15_after_a_fault_the_next_call_begins_with_a_new_connection(
    engine: FakeEngine, host: DockerHost, fault: str
) -> None:
    engine.faults["inspect"] = fault
    with pytest.raises(EngineAway):
        await host.inspect("scraper")
    engine.faults.clear()
    assert name_of(await host.inspect("scraper")) == "/scraper"
    assert engine.count("version") == 2


async def test_f15_a_container_whose_call_trickles_for_ever_costs_no_other_and_is_not_asked_again_meanwhile(
    engine: FakeEngine, tmp_path: Path
) -> None:
    trickle = Trickle(tmp_path / "trickle.sock")
    host = DockerHost(Clock(), f"unix://{trickle.path}", read=READ)
    with pytest.raises(EngineAway, match=r"Docker gave no answer about scraper within 1 s"):
        await host.inspect("scraper")
    began = time.monotonic()
    with pytest.raises(StepFailed, match="an earlier call to Docker about scraper hangs"):
        await host.inspect("scraper")
    assert time.monotonic() - began < 0.2
    assert name_of(await host.inspect("database")) == "/database"
    await trickle.close()
    await host.close()


async def test_f15_a_hung_container_does_not_make_the_others_wait(engine: FakeEngine, host: DockerHost) -> None:
    engine.faults["inspect scraper"] = "hang"
    hung = asyncio.ensure_future(host.inspect("scraper"))
    await asyncio.sleep(0.05)
    began = time.monotonic()
    assert name_of(await host.inspect("database")) == "/database"
    await host.listed()
    assert time.monotonic() - began < READ / 2
    with pytest.raises(EngineAway, match="Docker gave no answer in time"):
        await hung


@pytest.mark.parametrize("fault", ["hang", "500", "cut", "nonsense", "gone", "odd"])
@pytest.mark.parametrize(
    ("operation", "ask"),
    [
        ("version", lambda host: host.ping()),
        ("inspect", lambda host: host.inspect("scraper")),
        ("list", lambda host: host.listed()),
        ("info", lambda host: host.data_root()),
    ],
)
async def test_f15_every_look_ends_in_time_with_one_kind_of_error(
    engine: FakeEngine, host: DockerHost, operation: str, fault: str, ask: Callable[[DockerHost], Awaitable[object]]
) -> None:
    engine.faults[operation] = fault
    began = time.monotonic()
    with pytest.raises(EngineAway):
        await ask(host)
    assert time.monotonic() - began < READ + 1


async def test_f15_a_start_that_hangs_is_of_unknown_outcome_and_sent_once(engine: FakeEngine, host: DockerHost) -> None:
    engine.make("idle", "sleep", "60", running=False)
    engine.faults["start"] = "hang"
    with pytest.raises(OutcomeUnknown):
        await host.start("idle")
    assert engine.count("start") == 1
    engine.faults.clear()
    await host.start("idle")
    assert engine.containers["idle"].status == "running"


async def test_f14_a_start_that_never_left_is_no_unknown_outcome(engine: FakeEngine, host: DockerHost) -> None:
    await host.ping()
    engine.disappear()
    with pytest.raises(EngineAway):
        await host.start("scraper")


async def test_one_list_serves_all_who_ask_within_a_second(engine: FakeEngine, host: DockerHost) -> None:
    rows = await asyncio.gather(*(host.listed() for _ in range(50)))
    assert engine.count("list") == 1
    assert engine.count("inspect") == 0
    assert set(rows[0]) == {"scraper", "database"}
    assert CANARY not in repr(rows[0])
    assert await host.listed() is rows[0]
    host.forget()
    assert await host.listed() is not rows[0]
    assert engine.count("list") == 2


async def test_a_list_from_before_a_change_is_not_given_to_those_who_ask_after_it(engine: FakeEngine, host: DockerHost) -> None:
    await host.ping()
    engine.faults["list"] = 0.1
    old = asyncio.ensure_future(host.listed())
    await asyncio.sleep(0.02)
    host.forget()
    assert set(await old) == {"scraper", "database"}
    engine.remove("database")
    assert set(await host.listed()) == {"scraper"}


async def test_who_gives_up_on_a_list_takes_it_from_nobody_else(engine: FakeEngine, host: DockerHost) -> None:
    engine.faults["list"] = 0.1
    first, second = asyncio.ensure_future(host.listed()), asyncio.ensure_future(host.listed())
    await asyncio.sleep(0.02)
    first.cancel()
    assert "scraper" in await second


async def test_the_last_lines_of_both_streams_come_without_their_frames(engine: FakeEngine, host: DockerHost) -> None:
    def frame(stream: int, data: bytes) -> bytes:
        return bytes([stream, 0, 0, 0]) + struct.pack(">I", len(data)) + data

    scraper = engine.containers["scraper"]
    scraper.log = frame(1, b"one\ntw") + frame(2, b"o\r\n\xff bad\n") + frame(1, b"three\n")
    assert await host.logs("scraper", 10) == ["one", "two", "\ufffd bad", "three"]
    assert await host.logs("scraper", 1) == ["three"]
    assert await host.logs("scraper", 0) == []
    scraper.log = b"from a\r\nterminal\r\n"
    assert await host.logs("scraper", 10) == ["from a", "terminal"]
    scraper.log = frame(1, b"x" * (20 << 20) + b"\nlast\n")
    assert sum(map(len, await host.logs("scraper", 10))) <= 256 << 10


async def test_whether_a_person_stopped_it_is_read_from_the_engines_own_file(engine: FakeEngine, host: DockerHost) -> None:
    container = engine.containers["scraper"].id
    assert await host.manually_stopped(container) is None
    file = engine.root / "containers" / container / "config.v2.json"
    file.parent.mkdir(parents=True)
    for text, told in (
        (json.dumps({"HasBeenManuallyStopped": True, "Config": {"Env": [CANARY]}}), True),
        ('{"HasBeenManuallyStopped": false}', False),
        ('{"HasBeenManuallyStopped": "yes"}', None),
        ("{", None),
        ("[]", None),
    ):
        file.write_text(text)
        assert await host.manually_stopped(container) is told
    assert engine.count("info") == 1
    with pytest.raises(ValueError, match="no container id"):
        await host.manually_stopped("../../etc")


async def test_events_are_followed_and_past_ones_recalled(engine: FakeEngine, host: DockerHost) -> None:
    began = time.time()
    events = host.events()
    first = asyncio.ensure_future(anext(events))
    async with asyncio.timeout(2):
        while not engine.count("events"):
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    engine.tell("oom", engine.containers["scraper"])
    assert (await first)["Action"] == "oom"
    await events.aclose()  # type: ignore[attr-defined]
    async with asyncio.timeout(2):
        while any(thread.name == "Docker events" for thread in threading.enumerate()):
            await asyncio.sleep(0.01)
    seen = await host.recent(began, time.time())
    assert ([each["Action"] for each in seen.events], seen.complete) == (["oom"], True)


async def test_f15_a_stream_ends_with_its_engine_and_without_one_there_is_none(engine: FakeEngine, host: DockerHost) -> None:
    async def all_of_them() -> list[object]:
        return [each async for each in host.events(since=1.0)]

    following = asyncio.ensure_future(all_of_them())
    await asyncio.sleep(0.2)
    engine.disappear()
    assert len(await asyncio.wait_for(following, 2)) == 4
    with pytest.raises(EngineAway):
        await all_of_them()


async def test_after_its_end_nothing_is_asked_any_more(engine: FakeEngine, host: DockerHost) -> None:
    await host.ping()
    await host.close()
    with pytest.raises(EngineAway, match="we are ending"):
        await host.ping()


class Trickle:
    """An engine that gives one byte of one container's answer every 0.1 s, and everybody else the whole of theirs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._over = asyncio.Event()
        self._server: asyncio.Server | None = None
        self._opening = asyncio.ensure_future(self._open())
        self._writers: list[asyncio.StreamWriter] = []

    async def _open(self) -> None:
        self._server = await asyncio.start_unix_server(self._serve, self.path)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split()[1].decode()
                name = path.split("/")[-2]
                body = json.dumps({"ApiVersion": "1.41", "Name": f"/{name}"}).encode()
                writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode())
                for byte in body:
                    writer.write(bytes([byte]))
                    if name == "scraper" and not self._over.is_set():
                        await asyncio.sleep(0.1)
        except (asyncio.IncompleteReadError, ConnectionError):
            return

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        self._over.set()
        await asyncio.sleep(0.15)
        for writer in self._writers:
            writer.close()
            await writer.wait_closed()
