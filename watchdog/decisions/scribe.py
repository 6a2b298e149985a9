"""Keeps the store written: at once after each change, and again and again while it cannot be (SPEC 15)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from watchdog.clock import Clock
from watchdog.decisions.fleet import Fleet
from watchdog.decisions.ports import Record, Store
from watchdog.errors import StoreUnavailable
from watchdog.model.records import Notice

TRY_AGAIN = 1.0
"""Seconds between tries while the store cannot be written."""

SAME_TROUBLE = 600.0
"""Seconds without a failure after which the next one is a new trouble, worth a new word."""

_log = structlog.get_logger(__name__)


def _nobody(_text: str) -> None:
    """Nobody listens yet."""


class Scribe:
    """A store in front of the store (`decisions/ports.Store`): it knows whether something waits, and what hinders.

    on_trouble: the store cannot be written, once. on_lost: a new file was begun, what is open must be put again.
    """

    def __init__(self, store: Store, fleet: Fleet, clock: Clock, on_notice: Callable[[Notice], None]) -> None:
        self._store, self._fleet, self._clock, self._on_notice = store, fleet, clock, on_notice
        self._waiting = asyncio.Event()
        self._lost = store.lost
        self._told_at: float | None = None
        self.on_trouble: Callable[[str], None] = _nobody
        self.on_lost: Callable[[str], None] = _nobody

    @property
    def lost(self) -> str:
        return self._store.lost

    def put(self, record: Record) -> None:
        self._store.put(record)
        self._waiting.set()
        if isinstance(record, Notice) and record.delivered_at is None:
            self._on_notice(record)

    async def commit(self) -> None:
        """Durable when it returns. While nothing can be written no run may begin: `fleet.store_trouble` says so."""
        self._waiting.clear()
        try:
            await self._store.commit()
        except StoreUnavailable as trouble:
            self._waiting.set()
            if not self._fleet.store_trouble:
                _log.error("store_unavailable", reason=str(trouble))
                self._fleet.store_trouble = str(trouble)
                self._tell(str(trouble))
            raise
        if self._fleet.store_trouble:
            _log.info("store_available")
            self._fleet.store_trouble = ""
        if self._store.lost != self._lost:
            self._lost = self._store.lost
            self.on_lost(self._lost)

    def _tell(self, trouble: str) -> None:
        """A full disk lets a small write through now and then: that is still one trouble, and one critical word."""
        now = self._clock.monotonic()
        if self._told_at is None or now - self._told_at > SAME_TROUBLE:
            self.on_trouble(trouble)
        self._told_at = now

    async def keep(self) -> None:
        """Commits whatever was put. One transaction takes all that came in one breath."""
        while True:
            await self._waiting.wait()
            try:
                await self.commit()
            except StoreUnavailable:
                await self._clock.sleep(TRY_AGAIN)
