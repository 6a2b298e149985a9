"""The Bot API: a bot with its token, and its chats (`alerts/channel.Channel`).

The token is a part of every URL, so that no URL is ever kept, logged, or part of an error.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from recovery.breaker import Breakers
from recovery.errors import StepFailed
from watchdog.alerts.answers import Answer, Verdict, judge
from watchdog.alerts.draft import Draft
from watchdog.alerts.markup import html, plain
from watchdog.alerts.wire import Wire
from watchdog.config.secrets import Secret

BREAKER = "telegram"
TRIAL = 30.0
"""Seconds from the opening of a breaker to its trial (SPEC 5)."""

_TOKEN = re.compile(r"\d+:[\w-]+")

TROUBLES = frozenset({Verdict.AGAIN, Verdict.DOUBT})
"""What the breaker counts: everything else is an answer of somebody who is there."""


class _Trouble(StepFailed):
    """An answer on its way through the breaker."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.text)
        self.answer = answer


class Bot:
    """One token. api: the server, https://api.telegram.org but for tests and those who run their own."""

    def __init__(self, token: Secret, api: str, breakers: Breakers, wire: Wire) -> None:
        self._token, self._api, self._breakers, self._wire = token, api.rstrip("/"), breakers, wire

    def __repr__(self) -> str:
        return f"<Bot with a {self._token}>"

    async def call(self, method: str, parameters: Mapping[str, Any], document: bytes | None = None) -> Answer:
        """One method of the Bot API. document: goes with it as a file. Never raises for what the network does."""
        token = self._token.reveal().strip()
        if not _TOKEN.fullmatch(token):
            return Answer(Verdict.BOT_OFF, "the token has not the form of one (123456:ABC...)")
        url = f"{self._api}/bot{token}/{method}"

        async def act() -> Answer:
            answer = await self._posted(url, parameters, document)
            if answer.verdict in TROUBLES:
                raise _Trouble(answer)
            return answer

        return await self._guarded(act)

    async def _posted(self, url: str, parameters: Mapping[str, Any], document: bytes | None) -> Answer:
        if document is None:
            got = await self._wire.post(url, json=dict(parameters))
        else:
            files = {"document": ("message.txt", document, "text/plain")}
            got = await self._wire.post(url, data={key: str(value) for key, value in parameters.items()}, files=files)
        return got if isinstance(got, Answer) else judge(got.status, got.body)

    async def _guarded(self, act: Callable[[], Awaitable[Answer]]) -> Answer:
        try:
            return await self._breakers.call(BREAKER, act)
        except _Trouble as trouble:
            return trouble.answer
        except StepFailed as refused:
            return Answer(Verdict.AGAIN, str(refused), wait=TRIAL)

    async def close(self) -> None:
        await self._wire.close()


class TelegramChat:
    """One chat of a bot, or one topic of a group."""

    line = "telegram"

    def __init__(self, bot: Bot, chat: int, topic: int | None = None) -> None:
        self._bot, self._chat, self._topic = bot, chat, topic
        self.address = f"telegram:{chat}" + (f"/{topic}" if topic is not None else "")

    def draft(self, text: str, moved_to: int | None, *, topicless: bool) -> Draft:
        moved = moved_to is not None and moved_to != self._chat
        return Draft(text, moved_to if moved_to is not None and moved else self._chat, None if topicless else self._topic)

    async def deliver(self, draft: Draft) -> Answer:
        if draft.edits is not None:
            return await self._bot.call("editMessageText", _edit(draft))
        return await self._bot.call("sendMessage", _new(draft))

    async def attach(self, draft: Draft, message_id: int) -> Answer:
        reply = f'{{"message_id": {message_id}, "allow_sending_without_reply": true}}'
        parameters = {"chat_id": draft.chat, "disable_notification": "true", "reply_parameters": reply}
        topic = {"message_thread_id": draft.topic} if draft.topic is not None else {}
        return await self._bot.call("sendDocument", {**parameters, **topic}, draft.text.encode("utf-8", "replace"))

    async def check(self) -> Answer:
        return await self._bot.call("getMe", {})


def _words(draft: Draft) -> dict[str, Any]:
    form = {"text": html(draft.shown), "parse_mode": "HTML"} if draft.marked else {"text": plain(draft.shown)}
    return {"chat_id": draft.chat, **form, "link_preview_options": {"is_disabled": True}}


def _edit(draft: Draft) -> dict[str, Any]:
    """An edit makes no sound and knows no topic."""
    return {**_words(draft), "message_id": draft.edits}


def _new(draft: Draft) -> dict[str, Any]:
    parameters = {**_words(draft), "disable_notification": draft.quiet}
    if draft.topic is not None:
        parameters["message_thread_id"] = draft.topic
    if draft.answers is not None:
        # The text of the error about a missing target has changed three times; so it must not be one.
        parameters["reply_parameters"] = {"message_id": draft.answers, "allow_sending_without_reply": True}
    return parameters
