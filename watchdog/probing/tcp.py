"""`tcp: host:port`: well when it takes a connection within the deadline. Nothing is sent."""

from __future__ import annotations

import asyncio
import socket

from watchdog.clock import Clock
from watchdog.config.fields import split_address
from watchdog.model.observation import Observation
from watchdog.probing.answer import HttpAnswer, Trouble
from watchdog.probing.exchange import trouble_of
from watchdog.probing.transport import resolve
from watchdog.probing.verdict import connected, troubled
from watchdog.resolve import ResolveError, Resolver, literal


async def ask_tcp(address: str, deadline: float, clock: Clock, resolver: Resolver) -> Observation:
    """One connection to `host:port`, closed at once. deadline: seconds for everything. Raises nothing but cancellation."""
    host, port = split_address(address)
    started = clock.monotonic()
    answer = HttpAnswer(trouble=Trouble.DNS, note="no answer from DNS")
    try:
        async with asyncio.timeout(deadline):
            known = literal(host)
            hosts = known if known is not None else await resolve(resolver, host, deadline)
            answer = HttpAnswer(trouble=Trouble.TIMEOUT) if hosts else HttpAnswer(trouble=Trouble.BLOCKED, note=host)
            for one in hosts:
                trouble = await _connect(one, port)
                if trouble is None:
                    return connected(clock.now(), clock.monotonic() - started)
                answer = trouble
    except TimeoutError:
        pass
    except ResolveError as failure:
        answer = HttpAnswer(trouble=Trouble.DNS, note=str(failure))
    return troubled(answer, clock.now())


async def _connect(host: str, port: int) -> HttpAnswer | None:
    """None: it took the connection."""
    sock = None
    try:
        sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        await asyncio.get_running_loop().sock_connect(sock, (host, port))
        if sock.getsockname() == sock.getpeername():  # on loopback a free port of ours may by chance be the one asked
            return HttpAnswer(trouble=Trouble.REFUSED)
    except OSError as error:
        trouble, note = trouble_of(error)
        return HttpAnswer(trouble=trouble, note=note)
    finally:
        if sock is not None:
            sock.close()
    return None
