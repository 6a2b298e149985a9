"""The store of a film: SQLite in memory that remembers what was committed, and can be taken away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from watchdog.decisions.ports import Record
from watchdog.errors import StoreUnavailable
from watchdog.reports.gather import Records
from watchdog.state.store.connection import memory
from watchdog.state.store.reader import Snapshot
from watchdog.state.store.writer import SqliteStore

T = TypeVar("T")

FAILS_IN = 0.05
"""Seconds that a commit takes which cannot be done: a film in which all is tried for ever comes to its end all the same."""


class Ledger:
    """`decisions/ports.Store`. disk: all that was committed, in order. away: why it cannot be written now.

    lost: what the store says of a file that was begun anew. A crash loses what was put and not committed.
    """

    def __init__(self) -> None:
        self.disk: list[Record] = []
        self.waiting: list[Record] = []
        self.away = ""
        self.commits = 0
        self.unread: Exception | None = None
        self._lost = ""
        self._file = memory()
        self._store = SqliteStore(lambda: self._file, inline=True)

    def __del__(self) -> None:
        self._file.close()

    @property
    def lost(self) -> str:
        return self._lost

    def lose(self, why: str) -> None:
        """The file became unusable, and a new one was begun."""
        self._lost = why
        self.disk.clear()

    def put(self, record: Record) -> None:
        self.waiting.append(record)

    async def commit(self) -> None:
        self.commits += 1
        if self.away:
            await asyncio.sleep(FAILS_IN)
            raise StoreUnavailable(self.away)
        records, self.waiting = self.waiting, []
        for record in records:
            self._store.put(record)
        self.disk += records
        await self._store.commit()

    def crash(self) -> None:
        self.waiting.clear()

    def load(self, now: float) -> Snapshot:
        """What the next life of the daemon remembers."""
        return self._store.reader().load(now)

    async def archive(self, question: Callable[[Records], T]) -> T:
        """`decisions/ports.Archive`. unread: what reading raises instead."""
        if self.unread is not None:
            raise self.unread
        return question(self._store.reader())

    def all(self, kind: type[T]) -> list[T]:
        """Everything of one kind that was written or is about to be."""
        return [record for record in (*self.disk, *self.waiting) if isinstance(record, kind)]
