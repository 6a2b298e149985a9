from __future__ import annotations

import asyncio
import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
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
    return await Exchange(hub, WIRE).run("127.0.0.1", port, hub.monotonic(), left, left)


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
        faulty = asyncio.create_task(Faulty(hub, WIRE).run("127.0.0.1", bot.port, 0.0, 5.0, 5.0))
        answers = await asyncio.gather(*(ask(hub, bot.port) for _ in range(20)))
        assert {answer.code for answer in answers} == {200}
        assert (await asyncio.wait_for(faulty, 1)).trouble is Trouble.COULD_NOT_ASK
    hub.close()


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
