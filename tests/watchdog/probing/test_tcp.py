from __future__ import annotations

import asyncio
import socket

from tests.fakes.http_bot import HttpBot
from watchdog.clock import Clock
from watchdog.model.observation import Kind, Observation
from watchdog.probing.tcp import ask_tcp
from watchdog.resolve import Resolver


async def ask(address: str, deadline: float = 1.0, resolver: Resolver | None = None) -> Observation:
    return await ask_tcp(address, deadline, Clock(), resolver or Resolver(Clock()))


async def test_a_port_that_takes_a_connection_is_ok() -> None:
    async with HttpBot(hangs=True) as bot:
        seen = await ask(f"127.0.0.1:{bot.port}")
        assert (seen.kind, seen.detail) == (Kind.OK, "")
        assert seen.latency is not None
        assert (await ask(f"localhost:{bot.port}")).kind is Kind.OK


async def test_a_port_that_nobody_has_is_refused() -> None:
    async with HttpBot() as bot:
        pass
    seen = await ask(f"127.0.0.1:{bot.port}")
    assert (seen.kind, seen.detail, seen.latency) == (Kind.NO_ANSWER, "refused", None)


async def test_a_port_whose_queue_is_full_is_a_timeout() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port = listener.getsockname()[1]
        others = [socket.socket() for _ in range(4)]
        try:
            for other in others:
                other.setblocking(False)
                other.connect_ex(("127.0.0.1", port))
            seen = await ask(f"127.0.0.1:{port}", 0.1)
        finally:
            for other in others:
                other.close()
    assert (seen.kind, seen.detail) == (Kind.NO_ANSWER, "timeout")


async def test_a_name_that_dns_does_not_answer_is_misconfigured() -> None:
    release = asyncio.Event()
    loop = asyncio.get_running_loop()

    def lookup(host: str) -> list[str]:
        asyncio.run_coroutine_threadsafe(release.wait(), loop).result(5)
        return []

    seen = await ask("bot.example:80", 0.1, Resolver(Clock(), lookup))
    release.set()
    assert (seen.kind, seen.detail) == (Kind.MISCONFIGURED, "DNS failure: no answer from DNS")


async def test_a_name_that_leads_to_a_link_local_address_is_not_asked() -> None:
    seen = await ask("bot.example:80", 0.2, Resolver(Clock(), lambda host: ["169.254.169.254"]))
    assert seen.kind is Kind.MISCONFIGURED
