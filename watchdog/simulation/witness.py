"""A store between the product and the real one: it sees every row, fails when the scenario says so, and dies with its daemon."""

from __future__ import annotations

from collections.abc import Callable

from watchdog.decisions.ports import Record, Store
from watchdog.errors import StoreUnavailable


class Witness:
    """One per life of the daemon (`decisions/ports.Store`). What was put and not committed is lost with it, as by kill -9."""

    def __init__(self, store: Store, up: Callable[[], bool], saw: Callable[[Record], None]) -> None:
        self._store, self._up, self._saw = store, up, saw
        self._waiting: list[Record] = []
        self._dead = False

    @property
    def lost(self) -> str:
        return ""

    def put(self, record: Record) -> None:
        if self._dead:
            return
        self._waiting.append(record)
        self._saw(record)

    async def commit(self) -> None:
        if self._dead:
            raise StoreUnavailable("the daemon is dead")
        if not self._up():
            raise StoreUnavailable("disk I/O error (the scenario says so)")
        records, self._waiting = self._waiting, []
        for record in records:
            self._store.put(record)
        await self._store.commit()

    def die(self) -> None:
        """Nothing that the dying daemon still does reaches the disk."""
        self._dead = True
        self._waiting.clear()
