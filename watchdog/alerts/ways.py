"""From the configuration to the places where people read."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from recovery.breaker import Breakers
from watchdog.alerts.channel import Channel, Channels
from watchdog.alerts.telegram import Bot, TelegramChat
from watchdog.alerts.webhook import Webhook
from watchdog.alerts.wire import Wire
from watchdog.config.schema import Alerts


class Ways:
    """monotonic: seconds of a clock that nobody sets. transport: of httpx, None for the stock one. Close it at the end."""

    def __init__(self, monotonic: Callable[[], float], transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._breakers = Breakers(monotonic)
        self._wire = Wire(transport)

    def of(self, alerts: Alerts) -> Channels:
        """None at all without `alerts.telegram`."""
        if alerts.telegram is None:
            return Channels()
        bot = Bot(alerts.telegram.token, alerts.telegram.api, self._breakers, self._wire)
        chats = tuple(TelegramChat(bot, chat.id, chat.topic) for chat in alerts.telegram.chats)
        return Channels(chats, self._fallback(alerts, bot))

    def _fallback(self, alerts: Alerts, bot: Bot) -> Channel | None:
        if alerts.fallback is None:
            return None
        if alerts.fallback.chat is not None:
            return TelegramChat(bot, alerts.fallback.chat)
        return Webhook(alerts.fallback.webhook or "", self._breakers, self._wire)

    async def close(self) -> None:
        await self._wire.close()
