"""The transport of plain http:// probes: one new connection per check, with as few system calls and Python calls as possible.

It is an httpx transport used directly: no client, no pool, no redirects, no proxies, no cookies. All its sockets hang in one
epoll of their own, which the event loop watches as a single reader: a tick with hundreds of answers is one wake-up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from watchdog.clock import Clock
from watchdog.probing.answer import HttpAnswer, Trouble
from watchdog.probing.exchange import Exchange, Hub, Told
from watchdog.resolve import ResolveError, Resolver, link_local, literal

_MOST_ADDRESSES = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """A request made ready once, for every check of its service: where it goes and its bytes.

    address: the only one, when nothing has to be looked up. deadline: seconds for everything.
    """

    host: str
    port: int
    wire: bytes
    deadline: float
    address: str | None = None


def prepare(request: httpx.Request) -> Asked:
    """The bytes of a GET without a body; the deadline is the request's extension `deadline` (default 30 s).

    Raises ValueError for a URL with a user in it.
    """
    url = request.url
    if url.userinfo:
        raise ValueError("a user or password does not belong into a URL")
    lines = [b"%s %s HTTP/1.1" % (request.method.encode(), url.raw_path)]
    lines += [b"%s: %s" % field for field in request.headers.raw]
    known = literal(url.host) or ()
    wire = b"\r\n".join(lines) + b"\r\n\r\n"
    deadline: float = request.extensions.get("deadline", 30.0)
    return Asked(url.host, url.port or 80, wire, deadline, known[0] if len(known) == 1 else None)


class Unanswered(httpx.TransportError):
    """There is no whole answer; `answer` says why and holds what came."""

    def __init__(self, answer: HttpAnswer) -> None:
        super().__init__(str(answer.trouble))
        self.answer = answer


class PlainTransport(httpx.AsyncBaseTransport):
    """`begin` is what nearly every check calls, `ask` is for those who wait, `handle_async_request` for an httpx request."""

    def __init__(self, clock: Clock, resolver: Resolver) -> None:
        self._monotonic = clock.monotonic
        self._resolver = resolver
        self._hub: Hub | None = None

    def begin(self, asked: Asked, told: Told) -> Callable[[], None] | None:
        """Asks without a task: `told` is called with the answer, whatever comes, from the loop.

        Returns how to give it up. None, and nothing was done, for a name: that must be looked up, so only `ask` can ask it.
        """
        if asked.address is None:
            return None
        exchange = Exchange(self._hub or self._open(), asked.wire, told)
        started = self._monotonic()
        deadline = started + asked.deadline
        exchange.begin(asked.address, asked.port, started, deadline, deadline)
        return exchange.give_up

    def ask(self, asked: Asked) -> Coroutine[Any, Any, HttpAnswer]:
        """The answer, whatever comes; nothing is raised but cancellation."""
        started, hub = self._monotonic(), self._hub or self._open()
        deadline = started + asked.deadline
        if asked.address is not None:
            return Exchange(hub, asked.wire).run(asked.address, asked.port, started, deadline, deadline)
        return self._by_name(hub, asked, started, deadline)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The response carries the HttpAnswer as its extension `answer`. Raises Unanswered."""
        answer = await self.ask(request.extensions.get("asked") or prepare(request))
        if answer.trouble is not None or answer.code is None:
            raise Unanswered(answer)
        headers = [(name, value) for name, value in answer.headers.items() if name != "transfer-encoding"]
        body = httpx.ByteStream(answer.body)
        return httpx.Response(answer.code, headers=headers, stream=body, extensions={"answer": answer}, request=request)

    async def aclose(self) -> None:
        if self._hub is not None:
            self._hub.close()
            self._hub = None

    def _open(self) -> Hub:
        self._hub = Hub(self._monotonic)
        return self._hub

    async def _by_name(self, hub: Hub, asked: Asked, started: float, deadline: float) -> HttpAnswer:
        """Its addresses in turn until one takes a connection; each has its share of the time to do so."""
        addresses = literal(asked.host)
        if addresses is None:
            try:
                addresses = await resolve(self._resolver, asked.host, asked.deadline)
            except ResolveError as failure:
                return HttpAnswer(trouble=Trouble.DNS, note=str(failure))
            if not addresses:
                return HttpAnswer(trouble=Trouble.BLOCKED, note=f"{asked.host} is a link-local address")
        answer = HttpAnswer(trouble=Trouble.TIMEOUT)
        addresses = addresses[:_MOST_ADDRESSES]
        for place, address in enumerate(addresses):
            now = self._monotonic()
            if now >= deadline:
                break
            exchange = Exchange(hub, asked.wire)
            patience = now + (deadline - now) / (len(addresses) - place)
            answer = await exchange.run(address, asked.port, started, deadline, patience)
            if exchange.connected:
                break
        return answer


async def resolve(resolver: Resolver, host: str, deadline: float) -> Sequence[str]:
    """The addresses of a name that may be asked; empty when all are link-local. Raises ResolveError, also for lack of time."""
    try:
        async with asyncio.timeout(deadline):
            found = await resolver.addresses(host)
    except TimeoutError:
        raise ResolveError("no answer from DNS") from None
    return [address for address in found if not link_local(address)]
