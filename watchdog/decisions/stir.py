"""Wakes the loop before its time: something began that it must not sleep through."""

from __future__ import annotations

import asyncio


class Stir:
    """An event with a time limit but without its price: a limit that passes, ten times a second, is no exception."""

    def __init__(self) -> None:
        self._set = False
        self._waiter: asyncio.Future[None] | None = None

    def set(self) -> None:
        self._set = True
        self._wake()

    def take(self) -> bool:
        """Was it set? It is not any more."""
        was, self._set = self._set, False
        return was

    async def wait(self, seconds: float) -> None:
        """Until it is set, at most so long."""
        if self._set:
            return
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        timer = loop.call_later(seconds, self._wake)
        try:
            await self._waiter
        finally:
            timer.cancel()
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
