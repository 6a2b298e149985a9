from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from tests.fakes.http_bot import HttpBot, response
from watchdog.clock import Clock
from watchdog.config.schema import Command, Edge, Probe, Service
from watchdog.model.observation import Kind, Observation
from watchdog.probing.prober import Prober
from watchdog.probing.process import Looks


class HandClock(Clock):
    """Its monotonic time is moved by hand on top of the real one."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead


def no_runtime(name: str) -> Looks | None:
    return None


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def prober(clock: HandClock) -> AsyncIterator[Prober]:
    commands = {"well": Command(argv=("true",)), "ill": Command(argv=("false",)), "slow": Command(argv=("sleep", "30"))}
    made = Prober(clock, no_runtime, commands)
    yield made
    await made.close()


def bot_at(url: str, **more: object) -> Service:
    return Service(name="bot", probe=Probe(http=url), **more)  # type: ignore[arg-type]


def says(code: int = 200, **document: object) -> bytes:
    return response(json.dumps(document), code, Content_Type="application/json")


async def test_an_http_service_is_asked_and_judged(prober: Prober) -> None:
    async with HttpBot(says(503, status="error", error={"redis": {"status": "down"}})) as server:
        seen = await prober.ask(bot_at(server.url, depends_on={"redis": Edge.NEEDS}))
    assert (seen.kind, seen.code, seen.excused) == (Kind.CRITICAL, 503, True)
    assert seen.latency is not None


async def test_a_reload_with_another_url_is_asked_there(prober: Prober) -> None:
    async with HttpBot(says(status="ok")) as old, HttpBot(says(status="degraded")) as new:
        service = bot_at(old.url)
        assert (await prober.ask(service)).kind is Kind.OK
        assert (await prober.ask(replace(service, probe=Probe(http=new.url)))).kind is Kind.DEGRADED
        prober.forget("bot")
        assert (await prober.ask(service)).kind is Kind.OK
        assert (len(old.asked), len(new.asked)) == (2, 1)


async def test_a_hanging_service_ends_one_tick_before_its_next_check(prober: Prober) -> None:
    async with HttpBot(hangs=True) as server:
        started = Clock().monotonic()
        seen = await prober.ask(bot_at(server.url, interval=0.4, timeout=30.0))
        assert (seen.kind, seen.detail) == (Kind.NO_ANSWER, "timeout")
        assert 0.28 < Clock().monotonic() - started < 0.45


async def test_a_command_answers_by_its_exit_code(prober: Prober) -> None:
    def asks(command: str, **more: object) -> Service:
        return Service(name=command, probe=Probe(exec=command), **more)  # type: ignore[arg-type]

    assert (await prober.ask(asks("well"))).kind is Kind.OK
    ill = await prober.ask(asks("ill"))
    assert (ill.kind, ill.detail) == (Kind.BAD_ANSWER, "exit 1")
    assert (await prober.ask(asks("slow", interval=0.3))).detail == "timeout"
    assert (await prober.ask(asks("unheard-of"))).kind is Kind.MISCONFIGURED
    prober.use({"unheard-of": Command(argv=("true",))})
    assert (await prober.ask(asks("unheard-of"))).kind is Kind.OK


async def test_a_port_and_a_process_are_asked(prober: Prober) -> None:
    async with HttpBot(hangs=True) as server:
        assert (await prober.ask(Service(name="db", probe=Probe(tcp=f"127.0.0.1:{server.port}")))).kind is Kind.OK
    assert (await prober.ask(Service(name="job", probe=Probe(process=True)))).kind is Kind.UNKNOWN


async def test_a_fault_of_ours_is_unknown_and_never_an_exception() -> None:
    def broken(name: str) -> Looks | None:
        raise ZeroDivisionError("a bug")

    seen = await Prober(Clock(), broken, {}).ask(Service(name="job", probe=Probe(process=True)))
    assert (seen.kind, seen.detail) == (Kind.UNKNOWN, "could not ask: ZeroDivisionError: a bug")


async def test_what_needs_no_task_is_told_as_it_would_be_answered(prober: Prober) -> None:
    told: list[Observation] = []
    async with HttpBot(says(503, status="error", error={"redis": {"status": "down"}})) as server:
        service = bot_at(server.url, depends_on={"redis": Edge.NEEDS})
        assert prober.begin(service, told.append) is None, "nobody has prepared it yet"
        prober.prepare(service)
        assert prober.begin(service, told.append) is not None
        while not told:
            await Clock().sleep(0.005)
    assert [(seen.kind, seen.code, seen.excused) for seen in told] == [(Kind.CRITICAL, 503, True)]


async def test_what_is_given_up_is_not_told_and_its_socket_is_closed(prober: Prober) -> None:
    told: list[Observation] = []
    async with HttpBot(hangs=True) as server:
        service = bot_at(server.url)
        prober.prepare(service)
        give_up = prober.begin(service, told.append)
        assert give_up is not None
        while not server.asked:
            await Clock().sleep(0.005)
        give_up()
        await asyncio.wait_for(server.closed_by_peer.wait(), 1)
    assert told == []


async def test_only_a_plain_address_can_be_asked_without_a_task(prober: Prober) -> None:
    told: list[Observation] = []
    for probe in (Probe(http="http://bot.example/"), Probe(http="https://127.0.0.1/"), Probe(tcp="127.0.0.1:1")):
        service = Service(name="bot", probe=probe)
        prober.prepare(service)
        assert prober.begin(service, told.append) is None
    other = bot_at("http://127.0.0.1:1/")
    assert prober.begin(other, told.append) is None, "a reload gave it another address"


class Stumbling(Clock):
    """It fails once."""

    stumbled = False

    def now(self) -> float:
        if not self.stumbled:
            self.stumbled = True
            raise ZeroDivisionError("a bug")
        return super().now()


async def test_a_fault_of_ours_in_the_judgement_is_told_as_unknown() -> None:
    told: list[Observation] = []
    prober = Prober(Stumbling(), no_runtime, {})
    async with HttpBot(says(status="ok")) as server:
        service = bot_at(server.url)
        prober.prepare(service)
        prober.begin(service, told.append)
        while not told:
            await Clock().sleep(0.005)
    assert [(seen.kind, seen.detail) for seen in told] == [(Kind.UNKNOWN, "could not ask: ZeroDivisionError: a bug")]
    await prober.close()
