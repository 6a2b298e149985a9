from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Sequence

import pytest

from watchdog.clock import Clock
from watchdog.resolve import FRESH, ResolveError, Resolver, link_local, literal


class HandClock(Clock):
    def __init__(self) -> None:
        self.at = 100.0

    def monotonic(self) -> float:
        return self.at


class Dns:
    """answers: addresses or an error per name; names in `hang` answer when it is released."""

    def __init__(self, **answers: Sequence[str] | OSError) -> None:
        self.answers = answers
        self.asked: list[str] = []
        self.hang: set[str] = set()
        self.release = threading.Event()

    def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        if host in self.hang:
            self.release.wait(5)
        answer = self.answers[host]
        if isinstance(answer, OSError):
            raise answer
        return answer


async def test_literal_addresses_and_localhost_never_reach_dns() -> None:
    dns = Dns()
    resolver = Resolver(Clock(), dns)
    assert await resolver.addresses("127.0.0.1") == ("127.0.0.1",)
    assert await resolver.addresses("::1") == ("::1",)
    assert await resolver.addresses("localhost") == ("127.0.0.1", "::1")
    assert dns.asked == []


async def test_a_name_is_looked_up_once_for_all_who_ask_and_kept() -> None:
    dns = Dns(bot=["10.0.0.1"])
    resolver = Resolver(Clock(), dns)
    found = await asyncio.gather(*(resolver.addresses("bot") for _ in range(20)))
    assert found == [["10.0.0.1"]] * 20
    await resolver.addresses("bot")
    assert dns.asked == ["bot"]


async def test_f11_a_hanging_name_holds_up_no_other_and_is_not_asked_twice() -> None:
    dns = Dns(bad=["10.0.0.9"], good=["10.0.0.1"])
    dns.hang = {"bad"}
    resolver = Resolver(Clock(), dns)
    for _ in range(50):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.001):
                await resolver.addresses("bad")
    assert await resolver.addresses("good") == ["10.0.0.1"]
    assert dns.asked.count("bad") == 1
    dns.release.set()
    assert await resolver.addresses("bad") == ["10.0.0.9"]


async def test_an_old_address_serves_while_dns_hangs() -> None:
    clock, dns = HandClock(), Dns(bot=["10.0.0.1"])
    resolver = Resolver(clock, dns)
    await resolver.addresses("bot")
    clock.at += FRESH + 1
    dns.hang = {"bot"}
    dns.answers["bot"] = ["10.0.0.2"]
    assert await resolver.addresses("bot") == ["10.0.0.1"]
    dns.release.set()
    async with asyncio.timeout(2):
        while await resolver.addresses("bot") != ["10.0.0.2"]:
            await Clock().sleep(0.001)


async def test_a_name_that_does_not_exist_says_so_and_is_forgotten() -> None:
    clock, dns = HandClock(), Dns(bot=["10.0.0.1"])
    resolver = Resolver(clock, dns)
    await resolver.addresses("bot")
    clock.at += FRESH + 1
    dns.answers["bot"] = socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    async def until_it_fails() -> None:
        while True:
            await resolver.addresses("bot")
            await Clock().sleep(0.001)

    with pytest.raises(ResolveError, match="not known"):
        await asyncio.wait_for(until_it_fails(), 2)


async def test_a_passing_failure_leaves_what_was_found() -> None:
    clock, dns = HandClock(), Dns(bot=["10.0.0.1"])
    resolver = Resolver(clock, dns)
    await resolver.addresses("bot")
    clock.at += FRESH + 1
    dns.answers["bot"] = socket.gaierror(socket.EAI_AGAIN, "Temporary failure")
    for _ in range(20):
        assert await resolver.addresses("bot") == ["10.0.0.1"]
        await Clock().sleep(0.001)


async def test_a_name_without_addresses_is_a_failure() -> None:
    with pytest.raises(ResolveError):
        await Resolver(Clock(), Dns(bot=[])).addresses("bot")


def test_a_name_is_no_literal() -> None:
    assert literal("bot.example") is None
    assert literal("0177.0.0.1") is None


@pytest.mark.parametrize("address", ["169.254.169.254", "fe80::1", "fe80::1%eth0", "::ffff:169.254.1.1"])
def test_link_local_addresses_are_known(address: str) -> None:
    assert link_local(address)


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "::1", "2001:db8::1", "::ffff:10.0.0.1"])
def test_other_addresses_are_not_link_local(address: str) -> None:
    assert not link_local(address)
