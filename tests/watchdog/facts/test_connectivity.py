from __future__ import annotations

import threading

from tests.fakes.http_bot import HttpBot
from watchdog.clock import Clock
from watchdog.facts.connectivity import reachable
from watchdog.resolve import Resolver


async def dead_port() -> int:
    async with HttpBot() as bot:
        return bot.port


async def test_without_targets_nothing_is_said() -> None:
    assert await reachable((), 1.0) is None


async def test_one_target_that_answers_is_enough() -> None:
    async with HttpBot(hangs=True) as bot:
        dead = await dead_port()
        assert await reachable([f"127.0.0.1:{dead}", f"http://127.0.0.1:{bot.port}/any"], 1.0) is True
        assert await reachable([f"127.0.0.1:{bot.port}"], 1.0) is True


async def test_none_that_answers_is_false() -> None:
    dead = await dead_port()
    assert await reachable([f"127.0.0.1:{dead}", f"https://127.0.0.1:{dead}/"], 1.0) is False


async def test_f11_a_name_that_hangs_neither_hides_the_others_nor_outlasts_the_deadline() -> None:
    release = threading.Event()

    def lookup(host: str) -> list[str]:
        release.wait(5)
        return []

    resolver, started = Resolver(Clock(), lookup), Clock().monotonic()
    async with HttpBot(hangs=True) as bot:
        assert await reachable(["hangs.example:443", f"127.0.0.1:{bot.port}"], 1.0, resolver) is True
    assert await reachable(["hangs.example:443"], 0.1, resolver) is False
    assert Clock().monotonic() - started < 0.5
    release.set()
