from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.fakes.http_bot import HttpBot, response
from watchdog.clock import Clock
from watchdog.probing.answer import HttpAnswer, Trouble
from watchdog.probing.http import HttpProbe
from watchdog.probing.tls import TlsGet
from watchdog.resolve import Resolver


async def ask(url: str, context: ssl.SSLContext | None = None, deadline: float = 3.0) -> HttpAnswer:
    resolver = Resolver(Clock(), lambda host: ["127.0.0.1"])
    probe = HttpProbe(Clock(), resolver, TlsGet(Clock(), resolver, context))
    try:
        return await probe.ask(probe.question(url, deadline))
    finally:
        await probe.close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Key and certificate of bot.example in one file."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        [
            *(program, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"),
            *("-subj", "/CN=bot.example", "-addext", "subjectAltName=DNS:bot.example", "-keyout", "key.pem", "-out", "cert.pem"),
        ],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    both = folder / "both.pem"
    both.write_text((folder / "key.pem").read_text("ascii") + (folder / "cert.pem").read_text("ascii"), "ascii")
    return both


@asynccontextmanager
async def serving(certificate: Path, says: bytes) -> AsyncIterator[int]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(says)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(meet, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


def trusting(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(certificate))


async def test_an_https_answer_is_read_and_its_name_is_checked(certificate: Path) -> None:
    async with serving(certificate, response('{"status": "ok"}', Content_Type="application/json")) as port:
        answer = await ask(f"https://bot.example:{port}/health", trusting(certificate))
        assert (answer.code, answer.body, answer.trouble) == (200, b'{"status": "ok"}', None)
        assert answer.headers["content-type"] == "application/json"
        other = await ask(f"https://other.example:{port}/health", trusting(certificate))
        assert other.trouble is Trouble.TLS


async def test_a_certificate_that_nobody_vouches_for_is_a_tls_failure(certificate: Path) -> None:
    async with serving(certificate, response("ok")) as port:
        answer = await ask(f"https://bot.example:{port}/", ssl.create_default_context())
        assert answer.trouble is Trouble.TLS
        assert "self" in answer.note


async def test_the_same_bounds_hold_over_tls(certificate: Path) -> None:
    context = trusting(certificate)
    async with serving(certificate, response(b"x" * 100_000)) as port:
        assert (await ask(f"https://bot.example:{port}/", context)).trouble is Trouble.OVERSIZED
    async with serving(certificate, response(b"x", Content_Encoding="gzip")) as port:
        assert (await ask(f"https://bot.example:{port}/", context)).trouble is Trouble.COMPRESSED
    async with serving(certificate, b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx") as port:
        assert (await ask(f"https://bot.example:{port}/", context)).trouble is Trouble.CUT
    async with serving(certificate, response(code=302, Location="https://bot.example/login")) as port:
        assert (await ask(f"https://bot.example:{port}/", context)).code == 302


async def test_a_plain_server_at_an_https_url_is_a_tls_failure() -> None:
    def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(meet, "127.0.0.1", 0)
    try:
        answer = await ask(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/", ssl.create_default_context())
        assert answer.trouble is Trouble.TLS
    finally:
        server.close()


async def test_refused_and_hanging_have_their_kinds_over_tls() -> None:
    context = ssl.create_default_context()
    async with HttpBot() as bot:
        pass
    assert (await ask(f"https://127.0.0.1:{bot.port}/", context)).trouble is Trouble.REFUSED
    async with HttpBot(hangs=True) as hung:
        assert (await ask(f"https://127.0.0.1:{hung.port}/", context, 0.2)).trouble is Trouble.TIMEOUT
