"""One question on one connection, and the hub in which all connections hang."""

from __future__ import annotations

import asyncio
import errno
import select
import socket
from collections.abc import Callable

from watchdog.probing.answer import HttpAnswer, Trouble
from watchdog.probing.wire import Response

_PIECE = 16_384
_STREAM = socket.SOCK_STREAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC
_IN, _OUT = select.EPOLLIN, select.EPOLLOUT
_BUCKET = 0.05
"""Seconds by which deadlines are rounded up, so that hundreds of them share one timer of the loop."""

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


class Exchange:
    """Asks and reads one response. The socket is closed whatever happens: answer, trouble, deadline, cancellation.

    connected: something could be sent; before that another address of the same name may be tried.
    """

    __slots__ = ("_done", "_hub", "_response", "_sock", "_unsent", "connected")

    def __init__(self, hub: Hub, wire: bytes) -> None:
        self._hub = hub
        self._unsent = wire
        self._response = Response()
        self._sock: socket.SocketType | None = None
        self._done: asyncio.Future[float] | None = None
        self.connected = False

    async def run(self, address: str, port: int, started: float, left: float, patience: float) -> HttpAnswer:
        """started: monotonic seconds. left: seconds for all of it. patience: seconds until a connection must stand."""
        response, hub = self._response, self._hub
        latency: float | None = None
        try:
            if self._begin(address, port):
                done = self._done = hub.loop.create_future()
                bucket = hub.expect(self, left)
                impatience = hub.loop.call_later(patience, self._impatient) if patience < left else None
                try:
                    latency = await done - started
                finally:
                    bucket.discard(self)
                    if impatience is not None:
                        impatience.cancel()
        finally:
            if self._sock is not None:
                hub.forget(self._sock)
                self._sock.close()
        return HttpAnswer(response.code, response.headers, response.body, response.trouble, response.note, latency)

    def _begin(self, address: str, port: int) -> bool:
        """Connects and, where that is done at once (as on loopback), sends. False: the outcome is known already."""
        try:
            # The class of C and not the one of Python around it: half the cost, and nothing of the latter is needed here.
            sock = socket.SocketType(socket.AF_INET6 if ":" in address else socket.AF_INET, _STREAM, socket.IPPROTO_TCP)
            self._sock = sock
            code = sock.connect_ex((address, port))
            if code not in (0, errno.EINPROGRESS):
                raise OSError(code, errno.errorcode.get(code, str(code)))
            self._hub.add(sock, _IN if self._send(sock) else _OUT, self)
        except OSError as error:
            self._fail(error)
            return False
        return True

    def _send(self, sock: socket.SocketType) -> bool:
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

    def late(self) -> None:
        """The deadline is over."""
        self._response.trouble, self._response.note = Trouble.TIMEOUT, ""
        self._finish()

    def broken(self, error: Exception) -> None:
        """A fault of ours while reading."""
        self._response.trouble, self._response.note = Trouble.COULD_NOT_ASK, f"internal error: {error!r}"
        self._finish()

    def _impatient(self) -> None:
        if not self.connected:
            self.late()

    def _finish(self) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_result(self._hub.monotonic())

    def _fail(self, error: OSError) -> None:
        self._response.trouble, self._response.note = trouble_of(error)


class Hub:
    """The one epoll in which all sockets hang and the deadlines of all of them, watched by the running loop."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self.monotonic = monotonic
        self.loop = asyncio.get_running_loop()
        self._epoll = select.epoll()
        self._open: dict[int, Exchange] = {}
        self._deadlines: dict[int, set[Exchange]] = {}
        self.loop.add_reader(self._epoll.fileno(), self._wake)

    def add(self, sock: socket.SocketType, waits_for: int, exchange: Exchange) -> None:
        fd = sock.fileno()
        self._epoll.register(fd, waits_for)
        self._open[fd] = exchange

    def change(self, sock: socket.SocketType, waits_for: int) -> None:
        self._epoll.modify(sock.fileno(), waits_for)

    def forget(self, sock: socket.SocketType) -> None:
        """Closing the socket takes it out of the epoll: nobody else holds it open."""
        self._open.pop(sock.fileno(), None)

    def expect(self, exchange: Exchange, left: float) -> set[Exchange]:
        """`exchange.late()` after `left` seconds, unless it is taken out of the returned set before."""
        slot = int((self.loop.time() + left) / _BUCKET) + 1
        bucket = self._deadlines.get(slot)
        if bucket is None:
            bucket = self._deadlines[slot] = set()
            self.loop.call_at(slot * _BUCKET, self._expire, slot)
        bucket.add(exchange)
        return bucket

    def close(self) -> None:
        if not self._epoll.closed:
            if not self.loop.is_closed():
                self.loop.remove_reader(self._epoll.fileno())
            self._epoll.close()

    def _expire(self, slot: int) -> None:
        for exchange in self._deadlines.pop(slot, ()):
            exchange.late()

    def _wake(self) -> None:
        for fd, _ in self._epoll.poll(0):
            exchange = self._open.get(fd)
            if exchange is None:
                continue
            try:
                exchange.ready()
            except Exception as error:  # noqa: BLE001 - a fault of ours must not hold up the others in this wake-up
                exchange.broken(error)
