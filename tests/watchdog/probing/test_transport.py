from __future__ import annotations

import asyncio
import os
import socket
import struct
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.fakes.http_bot import HttpBot, response
from watchdog.clock import Clock
from watchdog.probing.answer import BODY_LIMIT, HttpAnswer, Trouble
from watchdog.probing.http import HttpProbe
from watchdog.probing.transport import PlainTransport
from watchdog.resolve import Resolver

JSON = "application/json"


class Asking:
    """Asks any URL with any deadline, and knows whether a socket was left open."""

    def __init__(self, resolver: Resolver | None = None) -> None:
        self.probe = HttpProbe(Clock(), resolver)

    async def __call__(self, url: str, deadline: float = 2.0) -> HttpAnswer:
        return await self.probe.ask(self.probe.question(url, deadline))


@pytest.fixture
async def ask() -> AsyncIterator[Asking]:
    asking = Asking()
    yield asking
    await asking.probe.close()


def sockets() -> int:
    kinds = (str(entry.readlink()) for entry in Path("/proc/self/fd").iterdir() if entry.exists())
    return sum(kind.startswith("socket:") for kind in kinds)


async def test_a_whole_answer_comes_back_with_code_headers_body_and_latency(ask: Asking) -> None:
    async with HttpBot(response('{"status": "ok"}', Content_Type=JSON, X_Twice="a")) as bot:
        answer = await ask(bot.url)
    assert (answer.code, answer.body, answer.trouble) == (200, b'{"status": "ok"}', None)
    assert answer.headers["content-type"] == JSON
    assert answer.latency is not None
    assert 0 < answer.latency < 1


async def test_the_question_is_one_get_without_cookies_and_without_compression(ask: Asking) -> None:
    async with HttpBot(response("ok", Set_Cookie="a=b")) as bot:
        await ask(bot.url + "?deep=1")
        await ask(bot.url)
    first, second = (asked.decode().lower() for asked in bot.asked)
    assert first.startswith("get /health?deep=1 http/1.1\r\n")
    assert f"host: 127.0.0.1:{bot.port}\r\n" in first
    assert "accept: application/health+json, application/json;q=0.9, */*;q=0.5\r\n" in first
    assert "accept-encoding: identity\r\n" in first
    assert "cookie" not in second


async def test_each_check_is_a_new_connection_and_each_socket_is_closed(ask: Asking) -> None:
    before = sockets()
    async with HttpBot(response("ok")) as bot:
        for _ in range(3):
            assert (await ask(bot.url)).code == 200
        assert len(bot.asked) == 3
    assert sockets() <= before + 1


@pytest.mark.parametrize(
    "says",
    [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nstat\r\n5;x=y\r\nus ok\r\n0\r\n\r\n",
        b"HTTP/1.0 200 OK\r\nServer: old\r\n\r\nstatus ok",
        b"HTTP/1.1 200\nContent-Length: 9\n\nstatus ok",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nstatus ok",
    ],
    ids=["chunked", "until it closes", "bare line feeds", "an interim answer first"],
)
async def test_a_body_is_read_in_every_form(ask: Asking, says: bytes) -> None:
    async def by_bytes(writer: asyncio.StreamWriter) -> None:
        for place in range(len(says)):
            writer.write(says[place : place + 1])
            await writer.drain()
            if place % 16 == 0:
                await Clock().sleep(0.001)

    for each in (says, by_bytes):
        async with HttpBot(each) as bot:
            answer = await ask(bot.url)
        assert (answer.code, answer.body, answer.trouble) == (200, b"status ok", None)


async def test_no_answer_has_its_kind(ask: Asking) -> None:
    async def reset(writer: asyncio.StreamWriter) -> None:
        sock = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    async with HttpBot(reset) as bot:
        assert (await ask(bot.url)).trouble is Trouble.RESET
    assert (await ask(bot.url)).trouble is Trouble.REFUSED
    async with HttpBot(b"") as bot:
        assert (await ask(bot.url)).trouble is Trouble.CLOSED
    async with HttpBot(b"SSH-2.0-OpenSSH_9.2\r\n") as bot:
        assert (await ask(bot.url)).trouble is Trouble.NOT_HTTP
    async with HttpBot(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{") as bot:
        answer = await ask(bot.url)
        assert (answer.code, answer.trouble) == (200, Trouble.CUT)


async def drip(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await Clock().sleep(0.01)


async def drip_header(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nX: ")
    await drip(writer)


@pytest.mark.parametrize("says", [drip, drip_header], ids=["body", "header"])
async def test_f17_a_trickle_ends_at_the_total_deadline(ask: Asking, says: object) -> None:
    async with HttpBot(says) as bot:  # type: ignore[arg-type]
        started = Clock().monotonic()
        answer = await ask(bot.url, 0.2)
        assert answer.trouble is Trouble.TIMEOUT
        assert 0.19 < Clock().monotonic() - started < 0.4


async def test_f17_a_bot_that_only_accepts_ends_at_the_deadline_and_its_socket_is_closed(ask: Asking) -> None:
    async with HttpBot(hangs=True) as bot:
        assert (await ask(bot.url, 0.1)).trouble is Trouble.TIMEOUT
        await asyncio.wait_for(bot.closed_by_peer.wait(), 1)


async def test_a_cancelled_check_closes_its_socket(ask: Asking) -> None:
    async with HttpBot(hangs=True) as bot:
        task = asyncio.create_task(ask(bot.url, 30))
        while not bot.asked:
            await Clock().sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(bot.closed_by_peer.wait(), 1)


async def endless(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"x" * 65536)
        await writer.drain()


async def endless_body(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    await endless(writer)


async def endless_header(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nX: ")
    await endless(writer)


async def endless_chunks(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n")
    await endless(writer)


async def endless_tiny_chunks(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"1;padding=" + b"p" * 500 + b"\r\nx\r\n")
        await writer.drain()


async def promised(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n")
    await endless(writer)


@pytest.mark.parametrize("says", [endless_body, endless_header, endless_chunks, endless_tiny_chunks, promised])
async def test_f16_an_endless_answer_is_oversized_and_costs_no_memory(ask: Asking, says: object) -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGESIZE")

    async with HttpBot(says) as bot:  # type: ignore[arg-type]
        before = resident()
        answer = await ask(bot.url, 5)
        assert answer.trouble is Trouble.OVERSIZED
        assert answer.body == b""
        assert resident() - before < 8 << 20


async def test_f16_a_body_of_exactly_the_limit_is_read_and_one_byte_more_is_not(ask: Asking) -> None:
    async with HttpBot(response(b"x" * BODY_LIMIT)) as bot:
        assert len((await ask(bot.url)).body) == BODY_LIMIT
    async with HttpBot(response(b"x" * (BODY_LIMIT + 1))) as bot:
        assert (await ask(bot.url)).trouble is Trouble.OVERSIZED


@pytest.mark.parametrize(
    "field", [{"Content_Encoding": "gzip"}, {"Content_Encoding": "deflate"}, {"Transfer_Encoding": "gzip, chunked"}]
)
async def test_f18_a_compressed_answer_is_refused_unread(ask: Asking, field: dict[str, str]) -> None:
    async with HttpBot(response(b"\x1f\x8b" + b"\0" * 1000, 200, **field)) as bot:
        assert (await ask(bot.url)).trouble is Trouble.COMPRESSED


async def test_f19_a_redirect_is_not_followed(ask: Asking) -> None:
    async with HttpBot(response("ok")) as other:
        for target in (other.url, "http://169.254.169.254/latest", "file:///etc/passwd"):
            async with HttpBot(response(code=302, Location=target)) as bot:
                answer = await ask(bot.url)
                assert (answer.code, answer.headers["location"]) == (302, target)
                assert len(bot.asked) == 1
        assert not other.asked


async def test_f19_no_proxy_of_the_environment_is_used(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    async with HttpBot(response("ok")) as proxy, HttpBot(response("ok")) as bot:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        assert (await ask(bot.url)).code == 200
        assert not proxy.asked


async def test_f19_a_name_that_leads_to_a_link_local_address_is_not_asked() -> None:
    asking = Asking(Resolver(Clock(), lambda host: ["169.254.169.254", "fe80::1", "::ffff:169.254.1.1"]))
    assert (await asking("http://metadata.example/", 0.2)).trouble is Trouble.BLOCKED
    await asking.probe.close()


@pytest.mark.parametrize(
    "url", ["http://me:secret@127.0.0.1/", "https://me:secret@127.0.0.1/", "ftp://127.0.0.1/", "file:///etc/passwd"]
)
async def test_f19_a_url_with_a_user_or_another_scheme_is_refused(ask: Asking, url: str) -> None:
    with pytest.raises(ValueError, match="user"):
        ask.probe.question(url, 1.0)


async def test_f11_a_hanging_name_delays_neither_literal_addresses_nor_other_names() -> None:
    release = asyncio.Event()
    loop = asyncio.get_running_loop()

    def lookup(host: str) -> list[str]:
        if host == "hangs.example":
            asyncio.run_coroutine_threadsafe(release.wait(), loop).result(10)
        return ["127.0.0.1"]

    asking = Asking(Resolver(Clock(), lookup))
    async with HttpBot(response("ok")) as bot:
        hung = [asyncio.create_task(asking(f"http://hangs.example:{bot.port}/", 0.3)) for _ in range(100)]
        await Clock().sleep(0.02)
        started = Clock().monotonic()
        assert (await asking(bot.url)).code == 200
        assert (await asking(f"http://works.example:{bot.port}/")).code == 200
        assert Clock().monotonic() - started < 0.2
        answers = await asyncio.gather(*hung)
        assert {answer.trouble for answer in answers} == {Trouble.DNS}
        assert {answer.note for answer in answers} == {"no answer from DNS"}
    release.set()
    await asking.probe.close()


async def test_a_name_with_a_dead_first_address_is_asked_at_its_second() -> None:
    asking = Asking(Resolver(Clock(), lambda host: ["::1", "127.0.0.1"]))
    async with HttpBot(response("ok")) as bot:
        answer = await asking(f"http://bot.example:{bot.port}/")
        assert (answer.code, answer.body) == (200, b"ok")
        assert b"host: bot.example:" in bot.asked[0].lower()
    await asking.probe.close()


async def test_hundreds_of_hanging_bots_hold_nobody_up(ask: Asking) -> None:
    async with HttpBot(hangs=True) as hung, HttpBot(response("ok")) as bot:
        waiting = [asyncio.create_task(ask(hung.url, 1.5)) for _ in range(200)]
        await Clock().sleep(0.05)
        answers = await asyncio.gather(*(ask(bot.url, 2) for _ in range(50)))
        assert {answer.code for answer in answers} == {200}
        assert not any(task.done() for task in waiting)
        assert {answer.trouble for answer in await asyncio.gather(*waiting)} == {Trouble.TIMEOUT}


async def test_it_is_an_httpx_transport_that_any_client_can_use() -> None:
    transport = PlainTransport(Clock(), Resolver(Clock()))
    async with HttpBot(response("ok", 503)) as bot, httpx.AsyncClient(transport=transport) as client:
        answer = await client.get(bot.url)
        assert (answer.status_code, answer.text) == (503, "ok")
        with pytest.raises(httpx.TransportError, match="refused"):
            await client.get("http://127.0.0.1:1/")
