"""Delivers notices in order, critical first, and marks them done only after delivery."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from watchdog.clock import Clock
from watchdog.decisions.ports import Sender, Store
from watchdog.model.records import Notice

TRY_AGAIN = 5.0
"""Seconds until a message that could not be delivered is tried again."""


class Post:
    """A queue in memory in front of rows on disk: what is undelivered at start is put in again."""

    def __init__(self, sender: Sender, clock: Clock) -> None:
        self._sender, self._clock = sender, clock
        self._queue: list[Notice] = []
        self._filled = asyncio.Event()

    def take(self, notice: Notice) -> None:
        self._queue.append(notice)
        self._filled.set()

    def take_all(self, notices: Iterable[Notice]) -> None:
        for notice in notices:
            if notice.delivered_at is None:
                self.take(notice)

    async def deliver(self, store: Store) -> None:
        while True:
            await self._filled.wait()
            notice = min(self._queue, key=lambda n: (-n.tier.rank, n.id))
            if not await self._sender.send(notice):
                await self._clock.sleep(TRY_AGAIN)
                continue
            self._queue.remove(notice)
            store.put(replace(notice, delivered_at=self._clock.now()))
            if not self._queue:
                self._filled.clear()
