"""Says notices in order, critical first, where the daemon itself speaks (its log), and marks done what goes nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import Container, Iterable
from dataclasses import replace

from watchdog.clock import Clock
from watchdog.decisions.ports import Sender, Store
from watchdog.model.records import Notice

TRY_AGAIN = 5.0
"""Seconds until a message that could not be delivered is tried again."""


class Post:
    """A queue in memory in front of rows on disk: what is undelivered at start is put in again.

    What is carried to people is marked done by the outbox, once it is there.
    """

    def __init__(self, sender: Sender, clock: Clock) -> None:
        self._sender, self._clock = sender, clock
        self._queue: list[Notice] = []
        self._carried: set[int] = set()
        self._filled = asyncio.Event()

    def take(self, notice: Notice, *, carried: bool = False) -> None:
        """carried: the outbox has letters for it."""
        self._queue.append(notice)
        if carried:
            self._carried.add(notice.id)
        self._filled.set()

    def take_all(self, notices: Iterable[Notice], carried: Container[int] = frozenset()) -> None:
        """Of an earlier life; what is carried was said in the log then."""
        for notice in notices:
            if notice.delivered_at is None and notice.id not in carried:
                self.take(notice)

    async def deliver(self, store: Store) -> None:
        while True:
            await self._filled.wait()
            notice = min(self._queue, key=lambda n: (-n.tier.rank, n.id))
            if not await self._sender.send(notice):
                await self._clock.sleep(TRY_AGAIN)
                continue
            self._queue.remove(notice)
            if notice.id not in self._carried:
                store.put(replace(notice, delivered_at=self._clock.now()))
            self._carried.discard(notice.id)
            if not self._queue:
                self._filled.clear()
