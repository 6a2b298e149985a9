"""The transport of plain http:// probes: one new connection per check, as few system calls and Python calls as it can be done with.

It is an httpx transport used directly: no client, no pool, no redirects, no proxies, no cookies. All its sockets hang in one epoll
of their own, which the event loop watches as a single reader, so that a tick with hundreds of answers is one wake-up.
"""

from __future__ import annotations

import asyncio
import errno
import select
import socket
from collections.abc import Sequence
from dataclasses import dataclass

import httpx

from watchdog.clock import Clock
from watchdog.probing.answer import HttpAnswer, Trouble
from watchdog.probing.resolve import NameFailure, Resolver, link_local, literal
from watchdog.probing.wire import Response

_PIECE = 16_384
_STREAM = socket.SOCK_STREAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC
_IN, _OUT = select.EPOLLIN, select.EPOLLOUT
_MOST_ADDRESSES = 3

_BY_ERRNO = {
    errno.ECONNREFUSED: Trouble.REFUSED,
    errno.ECONNRESET: Trouble.RESET,
    errno.EPIPE: Trouble.RESET,
    errno.ECONNABORTED: Trouble.RESET,
    errno.ETIMEDOUT: Trouble.TIMEOUT,
    errno.EHOSTUNREACH: Trouble.UNREACHABLE,
    errno.EHOSTDOWN: Trouble.UNREACHABLE,
}
"""Every other error number is our own host's: no descriptors, no ports, no route."""


def trouble_of(error: OSError) -> tuple[Trouble, str]:
    """What an error of a socket says about the peer, or about us (COULD_NOT_ASK, with the system's words)."""
    if isinstance(error, TimeoutError):
        return Trouble.TIMEOUT, ""
    trouble = _BY_ERRNO.get(error.errno or 0)
    return (trouble, "") if trouble else (Trouble.COULD_NOT_ASK, error.strerror or str(error))


@dataclass(frozen=True, slots=True)
class Asked:
    """A request made ready once: where it goes and its bytes. addresses: None for a name that must be looked up."""

    host: str
    port: int
    wire: bytes
    addresses: Sequence[str] | None


def prepare(request: httpx.Request) -> Asked:
    """The bytes of a GET without a body. Raises ValueError for a URL with a user in it."""
    url = request.url
    if url.userinfo:
        raise ValueError("a user or password does not belong into a URL")
    lines = [b"%s %s HTTP/1.1" % (request.method.encode(), url.raw_path)]
    lines += [b"%s: %s" % field for field in request.headers.raw]
    return Asked(url.host, url.port or 80, b"\r\n".join(lines) + b"\r\n\r\n", literal(url.host))


class Unanswered(httpx.TransportError):
    """There is no whole answer; `answer` says why and holds what came."""

    def __init__(self, answer: HttpAnswer) -> None:
        super().__init__(answer.trouble)
        self.answer = answer


class PlainTransport(httpx.AsyncBaseTransport):
    """`handle_async_request` reads two extensions of the request: `deadline` (seconds for everything, default 30) and `asked`.

    The response carries the HttpAnswer as its extension `answer`. Raises Unanswered, and nothing else but cancellation.
    """

    def __init__(self, clock: Clock, resolver: Resolver) -> None:
        self._clock = clock
        self._resolver = resolver
        self._hub = Hub()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        asked: Asked | None = request.extensions.get("asked")
        answer = await self._ask(asked or prepare(request), request.extensions.get("deadline", 30.0))
        if answer.trouble is not None or answer.code is None:
            raise Unanswered(answer)
        return httpx.Response(answer.code, stream=httpx.ByteStream(answer.body), extensions={"answer": answer})

    async def aclose(self) -> None:
        self._hub.close()

    async def _ask(self, asked: Asked, deadline: float) -> HttpAnswer:
        started = self._clock.monotonic()
        addresses = asked.addresses
        if addresses is None:
            try:
                addresses = await resolve(self._resolver, asked.host, deadline)
            except NameFailure as failure:
                return HttpAnswer(trouble=Trouble.DNS, note=str(failure), latency=None)
            if not addresses:
                return HttpAnswer(trouble=Trouble.BLOCKED, note=f"{asked.host} is a link-local address")
        addresses = addresses[:_MOST_ADDRESSES]
        answer = HttpAnswer(trouble=Trouble.TIMEOUT)
        for place, address in enumerate(addresses):
            left = started + deadline - self._clock.monotonic()
            if left <= 0:
                break
            patience = left / (len(addresses) - place)
            exchange = Exchange(self._hub, asked.wire, self._clock, started)
            answer = await exchange.run(address, asked.port, left, patience)
            if exchange.connected:
                break
        return answer


async def resolve(resolver: Resolver, host: str, deadline: float) -> Sequence[str]:
    """The addresses of a name that may be asked; () when all of them are link-local. Raises NameFailure, also when it takes too long."""
    try:
        async with asyncio.timeout(deadline):
            found = await resolver.addresses(host)
    except TimeoutError:
        raise NameFailure("no answer from DNS") from None
    return [address for address in found if not link_local(address)]


class Exchange:
    """One question on one connection. The socket is closed whatever happens: answer, trouble, deadline, cancellation."""

    __slots__ = ("_clock", "_done", "_hub", "_latency", "_response", "_sock", "_started", "_unsent", "connected")

    def __init__(self, hub: Hub, wire: bytes, clock: Clock, started: float) -> None:
        self._hub = hub
        self._unsent = wire
        self._clock = clock
        self._started = started
        self._latency: float | None = None
        self._response = Response()
        self._sock: socket.socket | None = None
        self._done: asyncio.Future[None] | None = None
        self.connected = False

    async def run(self, address: str, port: int, left: float, patience: float) -> HttpAnswer:
        """left: seconds for all of it. patience: seconds until a connection must stand."""
        response = self._response
        try:
            if self._begin(address, port):
                loop = asyncio.get_running_loop()
                self._done = loop.create_future()
                timer = loop.call_later(left, self._late)
                impatience = loop.call_later(patience, self._impatient) if patience < left else None
                try:
                    await self._done
                finally:
                    timer.cancel()
                    if impatience is not None:
                        impatience.cancel()
        finally:
            if self._sock is not None:
                self._hub.forget(self._sock)
                self._sock.close()
        return HttpAnswer(response.code, response.headers, response.body, response.trouble, response.note, self._latency)

    def _begin(self, address: str, port: int) -> bool:
        """Connects and, where that is done at once (as on loopback), sends. False: the outcome is known already."""
        try:
            sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, _STREAM, socket.IPPROTO_TCP)
            self._sock = sock
            code = sock.connect_ex((address, port))
            if code not in (0, errno.EINPROGRESS):
                return not self._fail(OSError(code, errno.errorcode.get(code, str(code))))
            waits_for = _IN if self._send(sock) else _OUT
            self._hub.add(sock, waits_for, self)
        except OSError as error:
            return not self._fail(error)
        return True

    def _send(self, sock: socket.socket) -> bool:
        """True when everything is sent. Raises OSError; a connection that is still being made is none."""
        try:
            sent = sock.send(self._unsent)
        except BlockingIOError:
            return False
        self.connected = True
        self._unsent = self._unsent[sent:]
        return not self._unsent

    def ready(self) -> None:
        """The hub: the socket has something for us, or takes something."""
        sock = self._sock
        if sock is None or self._done is None or self._done.done():
            return
        try:
            if self._unsent:
                code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                if code:
                    raise OSError(code, errno.errorcode.get(code, str(code)))
                if self._send(sock):
                    self._hub.change(sock, _IN)
                return
            data = sock.recv(_PIECE)
            if self._response.feed(data) if data else self._response.end():
                self._finish()
        except BlockingIOError:
            return
        except OSError as error:
            self._fail(error)
            self._finish()

    def broken(self, error: Exception) -> None:
        self._response.trouble, self._response.note = Trouble.COULD_NOT_ASK, f"internal error: {error!r}"
        self._finish()

    def _finish(self) -> None:
        if self._done is not None and not self._done.done():
            self._latency = self._clock.monotonic() - self._started
            self._done.set_result(None)

    def _late(self) -> None:
        self._response.trouble, self._response.note = Trouble.TIMEOUT, ""
        self._finish()

    def _impatient(self) -> None:
        if not self.connected:
            self._late()

    def _fail(self, error: OSError) -> bool:
        self._response.trouble, self._response.note = trouble_of(error)
        return True


class Hub:
    """The one epoll in which all sockets hang; the loop that first uses it watches it."""

    def __init__(self) -> None:
        self._epoll: select.epoll | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._open: dict[int, Exchange] = {}

    def add(self, sock: socket.socket, waits_for: int, exchange: Exchange) -> None:
        epoll = self._epoll
        if epoll is None:
            epoll = self._epoll = select.epoll()
            self._loop = asyncio.get_running_loop()
            self._loop.add_reader(epoll.fileno(), self._wake)
        fd = sock.fileno()
        epoll.register(fd, waits_for)
        self._open[fd] = exchange

    def change(self, sock: socket.socket, waits_for: int) -> None:
        if self._epoll is not None:
            self._epoll.modify(sock.fileno(), waits_for)

    def forget(self, sock: socket.socket) -> None:
        fd = sock.fileno()
        if self._open.pop(fd, None) is not None and self._epoll is not None:
            self._epoll.unregister(fd)

    def close(self) -> None:
        if self._epoll is not None and self._loop is not None:
            if not self._loop.is_closed():
                self._loop.remove_reader(self._epoll.fileno())
            self._epoll.close()
            self._epoll = None

    def _wake(self) -> None:
        if self._epoll is None:
            return
        for fd, _ in self._epoll.poll(0):
            exchange = self._open.get(fd)
            if exchange is None:
                continue
            try:
                exchange.ready()
            except Exception as error:  # noqa: BLE001 - a fault of ours must not hold up the others in this wake-up
                exchange.broken(error)
