"""Waiting while the core may call the run back: whichever of several things happens first."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from recovery.ports import Clock, Leash, Stop

T = TypeVar("T")


class CalledBackError(Exception):
    """The core wants the run to end at this safe point."""


async def unless_called(work: Coroutine[Any, Any, T], leash: Leash) -> T:
    """The result of `work`, which is cancelled when the core calls. Raises CalledBackError, or what `work` raises."""
    if leash.order is not None:
        work.close()
        raise CalledBackError
    task = asyncio.ensure_future(work)
    call = asyncio.ensure_future(leash.wait())
    try:
        await asyncio.wait({task, call}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise CalledBackError
        return task.result()
    finally:
        await drop(task, call)


async def unless_theirs(work: Coroutine[Any, Any, T], leash: Leash) -> T:
    """The result of `work`, which is cancelled only when somebody else took the target in hand. Raises as `unless_called`."""
    limit = asyncio.timeout(None)

    async def cut() -> None:
        await leash.wait()
        if leash.order is Stop.BY_HAND:
            limit.reschedule(asyncio.get_running_loop().time())

    watcher = None
    try:
        async with limit:
            watcher = asyncio.ensure_future(cut())
            return await work
    except TimeoutError as error:
        if limit.expired():
            raise CalledBackError from error
        raise
    finally:
        if watcher is not None:
            watcher.cancel()


async def pause(clock: Clock, seconds: float, leash: Leash) -> None:
    """Sleeps `seconds`. Raises CalledBackError when the core calls meanwhile."""
    await unless_called(clock.sleep(seconds), leash)


async def drop(*tasks: asyncio.Future[Any]) -> None:
    """Cancels what still runs and waits until it is gone; results and errors of dropped work are nobody's any more."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
