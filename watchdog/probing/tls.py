"""https:// over the stock httpx transport, made when the first https probe is asked: its trust store costs time and memory."""

from __future__ import annotations

import asyncio
import ssl

import certifi
import httpx

from watchdog.clock import Clock
from watchdog.probing.answer import BODY_LIMIT, HttpAnswer, Trouble
from watchdog.probing.exchange import trouble_of
from watchdog.probing.transport import resolve
from watchdog.resolve import ResolveError, Resolver, link_local, literal

_SOONER = 0.03
"""Seconds by which the timeout of a handshake comes before the deadline of the whole."""


def trust() -> ssl.SSLContext:
    """The system's authorities and certifi's."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


class TlsGet:
    """Transport only: no client, so no redirects, proxies, cookies or decompression. context: for private authorities."""

    def __init__(self, clock: Clock, resolver: Resolver, context: ssl.SSLContext | None = None) -> None:
        self._clock = clock
        self._resolver = resolver
        self._context = context
        self._transport: httpx.AsyncHTTPTransport | None = None

    async def get(self, request: httpx.Request) -> HttpAnswer:
        """One total deadline (extension `deadline`). Raises nothing but cancellation."""
        deadline: float = request.extensions["deadline"]
        started = self._clock.monotonic()
        answer = HttpAnswer(trouble=Trouble.DNS, note="no answer from DNS")
        try:
            async with asyncio.timeout(deadline):
                located = await self._locate(request, deadline)
                answer = HttpAnswer(trouble=Trouble.TIMEOUT)
                answer = located if isinstance(located, HttpAnswer) else await self._fetch(located, started)
        except TimeoutError:
            pass
        return answer

    async def close(self) -> None:
        if self._transport is not None:
            await self._transport.aclose()
            self._transport = None

    async def _locate(self, request: httpx.Request, deadline: float) -> httpx.Request | HttpAnswer:
        """The same request to an address: we look names up, so that none waits for another; TLS still checks the name."""
        host = request.url.host
        addresses = literal(host) if host != "localhost" else ("127.0.0.1",)
        if addresses is not None and host != "localhost":
            return request
        try:
            addresses = addresses or await resolve(self._resolver, host, deadline)
        except ResolveError as failure:
            return HttpAnswer(trouble=Trouble.DNS, note=str(failure))
        if not addresses or link_local(addresses[0]):
            return HttpAnswer(trouble=Trouble.BLOCKED, note=f"{host} is a link-local address")
        extensions = {**request.extensions, "sni_hostname": host}
        return httpx.Request("GET", request.url.copy_with(host=addresses[0]), headers=request.headers, extensions=extensions)

    async def _fetch(self, request: httpx.Request, started: float) -> HttpAnswer:
        if self._transport is None:
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
            self._transport = httpx.AsyncHTTPTransport(verify=self._context or trust(), limits=limits, trust_env=False)
        # httpcore leaves the socket open when a handshake is cancelled from outside, but not at a timeout of its own.
        deadline: float = request.extensions["deadline"]
        patience = max(0.01, started + deadline - self._clock.monotonic() - _SOONER)
        request.extensions["timeout"] = {"connect": patience, "read": None, "write": None, "pool": None}
        try:
            response = await self._transport.handle_async_request(request)
            try:
                return await self._read(response, started)
            finally:
                await response.aclose()
        except (httpx.HTTPError, OSError, ssl.SSLError) as error:
            return _failed(error)

    async def _read(self, response: httpx.Response, started: float) -> HttpAnswer:
        headers = {name.lower(): value for name, value in response.headers.items()}
        body = bytearray()
        trouble = None
        if headers.get("content-encoding", "identity").lower() not in ("", "identity"):
            trouble = Trouble.COMPRESSED
        else:
            async for piece in response.aiter_raw():
                body += piece
                if len(body) > BODY_LIMIT:
                    trouble = Trouble.OVERSIZED
                    break
        latency = self._clock.monotonic() - started
        return HttpAnswer(response.status_code, headers, bytes(body[:BODY_LIMIT]), trouble, latency=latency)


_PROTOCOL = (
    ("too long", Trouble.OVERSIZED),
    ("without sending complete message", Trouble.CUT),
    ("without sending a response", Trouble.CLOSED),
)


def _failed(error: BaseException) -> HttpAnswer:
    """The innermost cause that says something: TLS, then the socket, then the protocol."""
    if isinstance(error, httpx.TimeoutException):
        return HttpAnswer(trouble=Trouble.TIMEOUT)
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    for found in causes:
        if isinstance(found, ssl.SSLError):
            return HttpAnswer(trouble=Trouble.TLS, note=getattr(found, "verify_message", "") or found.reason or "")
    for found in causes:
        if isinstance(found, OSError) and found.errno:
            trouble, note = trouble_of(found)
            return HttpAnswer(trouble=trouble, note=note)
    if isinstance(error, httpx.RemoteProtocolError):
        trouble = next((trouble for words, trouble in _PROTOCOL if words in str(error)), Trouble.NOT_HTTP)
        return HttpAnswer(trouble=trouble)
    if isinstance(error, (httpx.ReadError, httpx.WriteError)):
        return HttpAnswer(trouble=Trouble.RESET)
    return HttpAnswer(
        trouble=Trouble.REFUSED if isinstance(error, httpx.ConnectError) else Trouble.COULD_NOT_ASK, note=str(error)
    )
