"""The scripted Telegram: it takes every message, or answers as the scenario says."""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus

from watchdog.alerts.answers import Answer, Verdict, judge
from watchdog.alerts.channel import Channels
from watchdog.alerts.draft import Draft
from watchdog.config.schema import Alerts

PRETENDED = 1
"""The chat of a scenario whose configuration names none: `telegram: down` means the same in every scenario."""

UP = Answer(Verdict.DONE)
DOWN = Answer(Verdict.AGAIN, "no connection (the scenario says so)")


def answering(status: int, retry_after: float | None) -> Answer:
    """What the Bot API says with that code; judged by the product's own table."""
    words = HTTPStatus(status).phrase if status in {each.value for each in HTTPStatus} else "Odd"
    parameters = {} if retry_after is None else {"retry_after": retry_after}
    document = {"ok": status == 200, "error_code": status, "description": words, "parameters": parameters}
    return judge(status, json.dumps(document).encode())


class FakeChat:
    """`alerts/channel.Channel`. says: the answer of this moment. Messages have numbers from 1 on."""

    line = "telegram"

    def __init__(self, chat: int, says: Callable[[], Answer]) -> None:
        self.address = f"telegram:{chat}"
        self._chat, self._says, self._number = chat, says, 0

    def draft(self, text: str, moved_to: int | None, *, topicless: bool) -> Draft:  # noqa: ARG002  nothing moves here
        return Draft(text, self._chat)

    async def deliver(self, draft: Draft) -> Answer:
        answer = self._says()
        if answer.verdict is not Verdict.DONE:
            return answer
        self._number += draft.edits is None
        return Answer(Verdict.DONE, message_id=draft.edits or self._number)

    async def attach(self, draft: Draft, message_id: int) -> Answer:  # noqa: ARG002  as a chat takes it
        return self._says()

    async def check(self) -> Answer:
        return self._says()


def channels(alerts: Alerts, says: Callable[[], Answer]) -> Channels:
    """The chats of the configuration, or one."""
    chats = [chat.id for chat in alerts.telegram.chats] if alerts.telegram is not None else [PRETENDED]
    return Channels(tuple(FakeChat(chat, says) for chat in chats))
