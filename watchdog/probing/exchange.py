"""One question on one connection, and the hub in which all connections hang."""

from __future__ import annotations

import asyncio
import errno
import select
import socket
from collections.abc import Callable
from math import ceil, inf

from watchdog.probing.answer import HttpAnswer, Trouble
from watchdog.probing.wire import Response, whole

Told = Callable[[HttpAnswer], None]

_PIECE = 16_384
_STREAM = socket.SOCK_STREAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC
_IN, _OUT = select.EPOLLIN, select.EPOLLOUT
_BUCKET = 0.05
"""Seconds by which deadlines are rounded up, so that those of one tick are looked at together."""

_AT_ONCE = 64
"""Answers taken in one look at the epoll; the rest is there at the next one."""

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
    """Asks, reads one response and tells the answer, once. The socket is closed before that, and by `give_up`.

    connected: something could be sent; before that another address of the same name may be tried.
    due: when it is late: first the end of its patience for a connection, then its deadline. All times are monotonic seconds.
    """

    __slots__ = ("_deadline", "_hub", "_response", "_sock", "_started", "_told", "_unsent", "connected", "due")

    def __init__(self, hub: Hub, wire: bytes, told: Told | None = None) -> None:
        self._hub = hub
        self._unsent = wire
        self._told = told
        self._response: Response | None = None
        self._sock: socket.SocketType | None = None
        self.connected = False

    def begin(self, address: str, port: int, started: float, deadline: float, patience: float) -> None:
        """Connects and, where that is done at once (as on loopback), sends. Nothing is told before it returns.

        started: when latency begins to count. deadline: when all must be over. patience: when a connection must stand.
        """
        hub = self._hub
        self._started, self._deadline = started, deadline
        try:
            # The class of C and not the one of Python around it: half the cost, and nothing of the latter is needed here.
            sock = socket.SocketType(socket.AF_INET6 if ":" in address else socket.AF_INET, _STREAM, socket.IPPROTO_TCP)
            self._sock = sock
            code = sock.connect_ex((address, port))
            if code not in (0, errno.EINPROGRESS):
                raise OSError(code, errno.errorcode.get(code, str(code)))
            waits_for = _IN if self._send(sock) else _OUT
            self.due = deadline if self.connected else min(patience, deadline)
            hub.add(sock, waits_for, self)
        except OSError as error:
            self._close()
            trouble, note = trouble_of(error)
            hub.loop.call_soon(self._tell, HttpAnswer(trouble=trouble, note=note))

    async def run(self, address: str, port: int, started: float, deadline: float, patience: float) -> HttpAnswer:
        """`begin`, for those who wait for the answer. Cancelled, it gives up."""
        done: asyncio.Future[HttpAnswer] = self._hub.loop.create_future()
        self._told = lambda answer: None if done.done() else done.set_result(answer)
        try:
            self.begin(address, port, started, deadline, patience)
            return await done
        finally:
            self.give_up()

    def give_up(self) -> None:
        """Nobody wants to know any more."""
        self._told = None
        self._close()

    def ready(self) -> None:
        """The hub: the socket has something for us, or takes something."""
        sock = self._sock
        if sock is None:
            return
        try:
            if self._unsent:
                self._go_on(sock)
                return
            data = sock.recv(_PIECE)
        except BlockingIOError:
            return
        except OSError as error:
            self._end(*trouble_of(error))
            return
        response = self._response
        if response is None:
            plain = whole(data)
            if plain is not None:
                self._finish(HttpAnswer(200, plain[0], plain[1], None, "", self._hub.woke - self._started))
                return
            response = self._response = Response()
        if response.feed(data) if data else response.end():
            self._end(response.trouble, response.note)

    def late(self) -> None:
        """The deadline is over."""
        self._end(Trouble.TIMEOUT, "")

    def broken(self, error: Exception) -> None:
        """A fault of ours while reading; one of those who were told is none of ours, and raised again."""
        if self._told is None:
            raise error
        self._end(Trouble.COULD_NOT_ASK, f"internal error: {error!r}")

    def _send(self, sock: socket.SocketType) -> bool:
        """True when everything is sent. Raises OSError; a connection that is still being made is none."""
        try:
            sent = sock.send(self._unsent)
        except BlockingIOError:
            return False
        self.connected = True
        self._unsent = self._unsent[sent:]
        return not self._unsent

    def _go_on(self, sock: socket.SocketType) -> None:
        code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            raise OSError(code, errno.errorcode.get(code, str(code)))
        sent = self._send(sock)
        if self.connected:
            self.due = self._deadline
        if sent:
            self._hub.change(sock, _IN)

    def _end(self, trouble: Trouble | None, note: str) -> None:
        """With what came until now."""
        got = self._response or Response()
        got.trouble = trouble
        self._finish(HttpAnswer(got.code, got.headers, got.body, trouble, note, self._hub.woke - self._started))

    def _finish(self, answer: HttpAnswer) -> None:
        self._close()
        self._tell(answer)

    def _tell(self, answer: HttpAnswer) -> None:
        told, self._told = self._told, None
        if told is not None:
            told(answer)

    def _close(self) -> None:
        sock, self._sock = self._sock, None
        if sock is not None:
            self._hub.forget(sock)
            sock.close()


class Hub:
    """The one epoll in which all sockets hang and the deadlines of all of them, watched by the running loop.

    woke: monotonic seconds of the last look at the sockets, which is when everything found there was known.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self.monotonic = monotonic
        self.loop = asyncio.get_running_loop()
        self.woke = monotonic()
        self._epoll = select.epoll()
        self._open: dict[int, Exchange] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._looks_at = inf
        self.loop.add_reader(self._epoll.fileno(), self._wake)

    def add(self, sock: socket.SocketType, waits_for: int, exchange: Exchange) -> None:
        fd = sock.fileno()
        self._epoll.register(fd, waits_for)
        self._open[fd] = exchange
        if exchange.due < self._looks_at:
            self._look(exchange.due)

    def change(self, sock: socket.SocketType, waits_for: int) -> None:
        self._epoll.modify(sock.fileno(), waits_for)

    def forget(self, sock: socket.SocketType) -> None:
        """Closing the socket takes it out of the epoll: nobody else holds it open."""
        self._open.pop(sock.fileno(), None)

    def close(self) -> None:
        """Whoever still waits is not told any more."""
        for exchange in tuple(self._open.values()):
            exchange.give_up()
        if self._timer is not None:
            self._timer.cancel()
        if not self._epoll.closed:
            if not self.loop.is_closed():
                self.loop.remove_reader(self._epoll.fileno())
            self._epoll.close()

    def _look(self, due: float) -> None:
        """The one timer: it goes off when the first of all is late, and answers that came meanwhile cost it nothing."""
        if self._timer is not None:
            self._timer.cancel()
        self._looks_at = ceil(due / _BUCKET) * _BUCKET
        self._timer = self.loop.call_later(self._looks_at - self.monotonic(), self._expire)

    def _expire(self) -> None:
        """Each is told in a call of its own of the loop, so that a fault in one holds up no other."""
        self.woke = now = max(self.monotonic(), self._looks_at)  # a timer may be a hair too early
        self._timer, self._looks_at, first = None, inf, inf
        for exchange in self._open.values():
            if exchange.due <= now:
                self.loop.call_soon(exchange.late)
            elif exchange.due < first:
                first = exchange.due
        if first < inf:
            self._look(first)

    def _wake(self) -> None:
        self.woke = self.monotonic()
        for fd, _ in self._epoll.poll(0, _AT_ONCE):
            exchange = self._open.get(fd)
            if exchange is None:
                continue
            try:
                exchange.ready()
            except Exception as error:  # noqa: BLE001 - a fault of ours must not hold up the others in this wake-up
                self.loop.call_soon(exchange.broken, error)
