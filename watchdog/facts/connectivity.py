"""Is it our own network? Asks the targets that a person chose (SPEC 5, step 1). It states a fact and draws no conclusion."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit

from watchdog.clock import Clock
from watchdog.config.fields import split_address
from watchdog.resolve import ResolveError, Resolver

_PORTS = {"http": 80, "https": 443}


async def reachable(targets: Sequence[str], deadline: float, resolver: Resolver | None = None) -> bool | None:
    """True when any target takes a connection within `deadline` seconds, False when none does, None without targets.

    A target is `host:port` or a URL; of a URL the host is connected to, for whoever takes a connection is there. All are asked at
    once, and the first that answers ends it.
    """
    if not targets:
        return None
    resolver = resolver or Resolver(Clock())
    tries = [asyncio.create_task(_connects(target, resolver)) for target in targets]
    try:
        async with asyncio.timeout(deadline):
            for one in asyncio.as_completed(tries):
                if await one:
                    return True
    except TimeoutError:
        pass
    finally:
        for one in tries:
            one.cancel()
        await asyncio.gather(*tries, return_exceptions=True)
    return False


async def _connects(target: str, resolver: Resolver) -> bool:
    host, port = _place(target)
    try:
        addresses = await resolver.addresses(host)
    except ResolveError:
        return False
    for address in addresses:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            with socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as sock:
                await asyncio.get_running_loop().sock_connect(sock, (address, port))
                return True
        except OSError:
            continue
    return False


def _place(target: str) -> tuple[str, int]:
    """Host and port of `host:port` or of a URL; both were checked with the configuration."""
    if "://" not in target:
        return split_address(target)
    parts = urlsplit(target)
    return parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 80)
