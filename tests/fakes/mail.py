"""An outbox on a fake Bot API in the time of a film, with a store that survives its lives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC
from typing import Any

from tests.fakes.bot_api import TOKEN, MockApi, Telegram
from tests.fakes.ledger import Ledger
from tests.fakes.runtime import FakeClock
from watchdog.alerts.outbox import Care, Outbox
from watchdog.alerts.ways import Ways
from watchdog.config.schema import Alerts, ChatPlace, Fallback
from watchdog.config.schema import Telegram as Place
from watchdog.config.secrets import Secret
from watchdog.model.incident import Tier
from watchdog.model.letter import Letter, LetterState
from watchdog.model.records import Notice, NoticeKind


def alerts(*chats: int | ChatPlace, fallback: int | None = None, **more: Any) -> Alerts:
    places = tuple(chat if isinstance(chat, ChatPlace) else ChatPlace(id=chat) for chat in chats or (1,))
    place = Place(token=Secret("file token", TOKEN), chats=places, api="http://telegram.test")
    return Alerts(telegram=place, fallback=None if fallback is None else Fallback(chat=fallback), **more)


class Mail:
    """Notices go in by `say`; what people see is in `telegram`. One life of the outbox after another."""

    def __init__(self, configured: Alerts | None = None) -> None:
        self.clock, self.ledger = FakeClock(), Ledger()
        self.telegram = Telegram(self.clock.monotonic, chats=(1, 2, 3, -100))
        self.alerts = configured or alerts()
        self.remarks: list[str] = []
        self.number = 0
        self.notices: list[Notice] = []
        self.begin()

    def begin(self) -> None:
        """A new life; what was not committed is gone."""
        self.ledger.crash()
        self.ways = Ways(self.clock.monotonic, MockApi(self.telegram))
        care = Care(lambda: UTC, self.remarks.append, lambda: 0.5)
        self.outbox = Outbox(self.ways.of(self.alerts), self.alerts, self.ledger, self.clock, care)
        loaded = self.ledger.load(self.clock.now())
        self.outbox.remember(loaded.letters, loaded.notices, loaded.chats)

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[Mail]:
        life = asyncio.create_task(self.outbox.run())
        try:
            await self.clock.sleep(0)
            yield self
            if life.done():
                life.result()
        finally:
            life.cancel()
            await asyncio.gather(life, return_exceptions=True)
            await self.ways.close()

    async def say(
        self, text: str, incident: int | None = 1, tier: Tier = Tier.CRITICAL, kind: NoticeKind = NoticeKind.NEW, **more: Any
    ) -> Notice:
        """A notice and its letters, in one transaction."""
        self.number += 1
        said = Notice(self.number, incident, "bot", tier, kind, self.clock.now(), text)
        self.ledger.put(said)
        self.outbox.take(said, **more)
        await self.ledger.commit()
        return said

    async def wait(self, seconds: float) -> None:
        await self.clock.sleep(seconds)
        await self.ledger.commit()

    def letters(self) -> list[Letter]:
        """As they are on disk."""
        newest = {(each.notice, each.address): each for each in self.ledger.all(Letter)}
        return list(newest.values())

    def states(self) -> list[LetterState]:
        return [each.state for each in self.letters()]

    def delivered(self) -> set[int]:
        return {each.id for each in self.ledger.all(Notice) if each.delivered_at is not None}
