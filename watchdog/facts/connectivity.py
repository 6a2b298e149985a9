"""Does anything outside answer? Asked of `connectivity.targets` (SPEC 5, step 1)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from urllib.parse import urlsplit

from watchdog.config.fields import split_address


async def reachable(targets: Sequence[str], deadline: float) -> bool | None:
    """True as soon as one target takes a connection; False when none does within `deadline` seconds; None without targets."""
    if not targets:
        return None
    tries = [asyncio.create_task(_connects(*_place(target))) for target in targets]
    try:
        async with asyncio.timeout(deadline):
            for each in asyncio.as_completed(tries):
                if await each:
                    return True
    except TimeoutError:
        return False
    finally:
        for each in tries:
            each.cancel()
        await asyncio.gather(*tries, return_exceptions=True)
    return False


def _place(target: str) -> tuple[str, int]:
    if "://" not in target:
        return split_address(target)
    parts = urlsplit(target)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


async def _connects(host: str, port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    writer.close()
    return True
