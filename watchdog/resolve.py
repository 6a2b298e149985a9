"""Names to addresses without ever waiting for another name: a hanging DNS server holds only those who need it."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import threading
from collections.abc import Callable, Sequence

from watchdog.clock import Clock

FRESH = 60.0
"""Seconds for which a found address is used without a new look-up; afterwards it serves while a new one is under way."""

_AT_ONCE = 16
"""Look-ups at a time, each in a thread of its own that nobody waits for."""

Lookup = Callable[[str], Sequence[str]]


class ResolveError(Exception):
    """The name cannot be resolved; the text says why."""


def system_lookup(host: str) -> Sequence[str]:
    """Addresses of `host` as the system resolver gives them. Blocks. Raises OSError."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Resolver:
    """Addresses are text. A literal address and `localhost` never reach DNS.

    One look-up per name is under way at a time, however many ask; a cancelled or late one fills the cache for the next check.
    """

    def __init__(self, clock: Clock, lookup: Lookup = system_lookup) -> None:
        self._clock = clock
        self._lookup = lookup
        self._found: dict[str, tuple[float, Sequence[str]]] = {}
        self._asked: dict[str, asyncio.Future[Sequence[str]]] = {}
        self._waiting: list[str] = []
        self._running = 0

    async def addresses(self, host: str) -> Sequence[str]:
        """The addresses of `host`, best first; never empty. Raises ResolveError. Waits at most as long as the caller lets it."""
        known = literal(host)
        if known is not None:
            return known
        found = self._found.get(host)
        if found and self._clock.monotonic() - found[0] < FRESH:
            return found[1]
        answer = self._ask(host)
        if found:
            return found[1]
        return await asyncio.shield(answer)

    def _ask(self, host: str) -> asyncio.Future[Sequence[str]]:
        answer = self._asked.get(host)
        if answer is None:
            answer = asyncio.get_running_loop().create_future()
            answer.add_done_callback(_seen)
            self._asked[host] = answer
            self._waiting.append(host)
            self._start()
        return answer

    def _start(self) -> None:
        while self._waiting and self._running < _AT_ONCE:
            host = self._waiting.pop(0)
            self._running += 1
            loop = asyncio.get_running_loop()
            threading.Thread(target=self._work, args=(loop, host), name="resolve", daemon=True).start()

    def _work(self, loop: asyncio.AbstractEventLoop, host: str) -> None:
        """In a thread of its own; daemonic, so that a hanging look-up never delays the end of the process."""
        found: Sequence[str] = ()
        problem: Exception | None = None
        try:
            found = self._lookup(host)
        except (OSError, ValueError) as error:
            problem = error
        try:
            loop.call_soon_threadsafe(self._done, host, found, problem)
        except RuntimeError:
            return  # the loop has ended meanwhile

    def _done(self, host: str, found: Sequence[str], problem: Exception | None) -> None:
        self._running -= 1
        answer = self._asked.pop(host)
        if found:
            self._found[host] = (self._clock.monotonic(), found)
        elif isinstance(problem, socket.gaierror) and problem.errno == socket.EAI_NONAME:
            self._found.pop(host, None)  # the name is gone; any other failure leaves what was found before
        if not answer.done():
            if found:
                answer.set_result(found)
            else:
                answer.set_exception(ResolveError(str(getattr(problem, "strerror", None) or problem or "no address")))
        self._start()


def _seen(answer: asyncio.Future[Sequence[str]]) -> None:
    """A failed look-up that nobody waits for any more is no error of the loop."""
    if not answer.cancelled():
        answer.exception()


def literal(host: str) -> Sequence[str] | None:
    """The addresses of a host that needs no look-up; None for a name."""
    if host == "localhost":
        return ("127.0.0.1", "::1")
    try:
        return (str(ipaddress.ip_address(host)),)
    except ValueError:
        return None


def link_local(address: str) -> bool:
    """169.254.0.0/16 and fe80::/10, also as IPv4 inside IPv6: where clouds keep their secrets."""
    plain = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(plain, ipaddress.IPv6Address) and plain.ipv4_mapped is not None:
        return plain.ipv4_mapped.is_link_local
    return plain.is_link_local
