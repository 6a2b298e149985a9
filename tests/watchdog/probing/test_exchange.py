from __future__ import annotations

import asyncio
import errno
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.fakes.http_bot import HttpBot, response
from watchdog.clock import Clock
from watchdog.probing.answer import HttpAnswer, Trouble
from watchdog.probing.exchange import Exchange, Hub, trouble_of

WIRE = b"GET /health HTTP/1.1\r\nHost: bot\r\n\r\n"


@pytest.mark.parametrize(
    ("number", "trouble"),
    [
        (errno.ECONNREFUSED, Trouble.REFUSED),
        (errno.ECONNRESET, Trouble.RESET),
        (errno.EPIPE, Trouble.RESET),
        (errno.ETIMEDOUT, Trouble.TIMEOUT),
        (errno.EHOSTUNREACH, Trouble.UNREACHABLE),
        (errno.ENETUNREACH, Trouble.COULD_NOT_ASK),
        (errno.EMFILE, Trouble.COULD_NOT_ASK),
        (errno.EADDRNOTAVAIL, Trouble.COULD_NOT_ASK),
    ],
)
def test_an_error_is_the_peers_or_our_own(number: int, trouble: Trouble) -> None:
    found, note = trouble_of(OSError(number, os.strerror(number)))
    assert found is trouble
    assert bool(note) is (trouble is Trouble.COULD_NOT_ASK)


async def ask(hub: Hub, port: int, left: float = 1.0) -> HttpAnswer:
    now = hub.monotonic()
    return await Exchange(hub, WIRE).run("127.0.0.1", port, now, now + left, now + left)


@contextmanager
def no_descriptors() -> Iterator[None]:
    """As if all were in use: no new one can be had, those that are open stay."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = next(number for number in range(soft) if not Path(f"/proc/self/fd/{number}").exists())
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_f42_without_descriptors_nothing_can_be_asked_and_nobody_is_blamed() -> None:
    hub = Hub(Clock().monotonic)
    async with HttpBot(response("ok")) as bot:
        with no_descriptors():
            answer = await ask(hub, bot.port)
        assert answer.trouble is Trouble.COULD_NOT_ASK
        assert "files" in answer.note
        assert (await ask(hub, bot.port)).code == 200
    hub.close()


class Faulty(Exchange):
    """One whose reading has a fault of ours."""

    def ready(self) -> None:
        raise ZeroDivisionError


async def test_a_fault_in_one_exchange_holds_up_no_other() -> None:
    hub = Hub(Clock().monotonic)
    async with HttpBot(response("ok")) as bot:
        now = hub.monotonic()
        faulty = asyncio.create_task(Faulty(hub, WIRE).run("127.0.0.1", bot.port, now, now + 5.0, now + 5.0))
        answers = await asyncio.gather(*(ask(hub, bot.port) for _ in range(20)))
        assert {answer.code for answer in answers} == {200}
        assert (await asyncio.wait_for(faulty, 1)).trouble is Trouble.COULD_NOT_ASK
    hub.close()


def begun(hub: Hub, port: int, told: list[HttpAnswer], left: float = 1.0, patience: float = 1.0) -> Exchange:
    exchange, now = Exchange(hub, WIRE, told.append), hub.monotonic()
    exchange.begin("127.0.0.1", port, now, now + left, now + patience)
    return exchange


async def until(told: list[HttpAnswer], count: int = 1) -> None:
    async with asyncio.timeout(2):
        while len(told) < count:
            await Clock().sleep(0.005)


async def test_an_answer_is_told_once_and_never_before_the_question_is_out() -> None:
    hub, told = Hub(Clock().monotonic), list[HttpAnswer]()
    async with HttpBot(response("ok")) as bot:
        begun(hub, bot.port, told)
        assert told == []
        await until(told)
        assert (told[0].code, told[0].body) == (200, b"ok")
    begun(hub, bot.port, told)  # refused at once, and told later all the same
    assert len(told) == 1
    await until(told, 2)
    await Clock().sleep(0.02)
    assert [answer.trouble for answer in told] == [None, Trouble.REFUSED]
    hub.close()


async def test_who_gives_up_is_told_nothing_and_leaves_no_socket() -> None:
    hub, told = Hub(Clock().monotonic), list[HttpAnswer]()
    async with HttpBot(hangs=True) as bot:
        exchange = begun(hub, bot.port, told, left=0.1)
        while not bot.asked:
            await Clock().sleep(0.005)
        exchange.give_up()
        await asyncio.wait_for(bot.closed_by_peer.wait(), 1)
        refused = begun(hub, 1, told)
        refused.give_up()
        await Clock().sleep(0.2)
        assert told == []
    hub.close()


async def test_a_hub_that_closes_takes_everybody_along() -> None:
    hub, told = Hub(Clock().monotonic), list[HttpAnswer]()
    async with HttpBot(hangs=True) as bot:
        begun(hub, bot.port, told, left=0.1)
        while not bot.asked:
            await Clock().sleep(0.005)
        hub.close()
        await asyncio.wait_for(bot.closed_by_peer.wait(), 1)
        await Clock().sleep(0.15)
        assert told == []


async def test_a_fault_of_who_is_told_harms_no_other_and_is_heard_of() -> None:
    hub, told, heard = Hub(Clock().monotonic), list[HttpAnswer](), list[object]()
    hub.loop.set_exception_handler(lambda loop, context: heard.append(context["exception"]))

    def faulty(answer: HttpAnswer) -> None:
        raise ZeroDivisionError(str(answer.trouble))

    async with HttpBot(response("ok")) as bot, HttpBot(hangs=True) as hung:
        for port, left in ((bot.port, 1.0), (hung.port, 0.1)):
            now = hub.monotonic()
            Exchange(hub, WIRE, faulty).begin("127.0.0.1", port, now, now + left, now + left)
            begun(hub, port, told, left)
        await until(told, 2)
        await Clock().sleep(0.01)
    assert [str(error) for error in heard] == ["None", "timeout"]
    assert {answer.trouble for answer in told} == {None, Trouble.TIMEOUT}
    hub.close()


async def test_a_connection_that_does_not_stand_ends_its_patience_and_one_that_stands_has_until_the_deadline() -> None:
    hub, told = Hub(Clock().monotonic), list[HttpAnswer]()
    with full() as port:
        waiting = begun(hub, port, told, left=5.0, patience=0.1)
        await until(told)
        assert (told[0].trouble, waiting.connected) == (Trouble.TIMEOUT, False)
    async with HttpBot(hangs=True) as bot:
        connected = begun(hub, bot.port, told, left=0.4, patience=0.05)
        await Clock().sleep(0.2)
        assert (len(told), connected.connected) == (1, True)
        await until(told, 2)
    hub.close()


@contextmanager
def full() -> Iterator[int]:
    """A port whose queue of connections is full, so that no further one comes about."""
    with socket.socket() as listening, ExitStack() as queue:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for _ in range(4):
            waits = queue.enter_context(socket.socket())
            waits.setblocking(False)
            waits.connect_ex(listening.getsockname())
        yield listening.getsockname()[1]


async def test_deadlines_that_share_a_timer_are_kept_each() -> None:
    hub, clock = Hub(Clock().monotonic), Clock()
    async with HttpBot(hangs=True) as bot:
        started = clock.monotonic()
        ends: list[float] = []

        async def one(left: float) -> None:
            assert (await ask(hub, bot.port, left)).trouble is Trouble.TIMEOUT
            ends.append(clock.monotonic() - started - left)

        await asyncio.gather(*(one(0.1 + number / 100) for number in range(20)))
    assert all(0 <= late < 0.12 for late in ends)
    hub.close()


async def test_a_closed_hub_stays_closed() -> None:
    hub = Hub(Clock().monotonic)
    hub.close()
    hub.close()
