"""Where alerts go: the chats of a Telegram bot, and another way for when none of them can be reached (SPEC 3, SPEC 11)."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema
from pydantic.dataclasses import dataclass

from watchdog.config.fields import SECRET_FORMS, URL_PATTERN, Url, as_url
from watchdog.config.secrets import FORMS, Secret
from watchdog.config.service import STRICT

API = "https://api.telegram.org"

BITS = 52
"""Significant bits of a chat id (Bot API, "Chat")."""


def _token(value: object) -> Secret:
    if not isinstance(value, Secret):
        raise ValueError(f"a token does not belong into the file: {FORMS}")
    return value


def _hook(value: object) -> Secret | str:
    return value if isinstance(value, Secret) else as_url(value)


def _chat_id(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value == 0 or abs(value) >= 1 << BITS:
        raise ValueError(f"'{value}' is no chat id, write a whole number such as 111111111 or -1001234567890")
    return value


ChatId = Annotated[int, PlainValidator(_chat_id), WithJsonSchema({"type": "integer", "not": {"const": 0}})]
Token = Annotated[Secret, PlainValidator(_token), WithJsonSchema({"oneOf": SECRET_FORMS})]
Hook = Annotated[
    Secret | str, PlainValidator(_hook), WithJsonSchema({"oneOf": [{"type": "string", "pattern": URL_PATTERN}, *SECRET_FORMS]})
]


@dataclass(frozen=True, slots=True, config=STRICT)
class ChatPlace:
    """One chat, written as its id or as `{id, topic}`."""

    id: ChatId = Field(description="id of the person, group or channel")
    topic: ChatId | None = Field(default=None, description="`message_thread_id` of a topic of a group; default its General topic")


def _place(value: object) -> object:
    return value if isinstance(value, dict | ChatPlace) else {"id": value}


Place = Annotated[ChatPlace, BeforeValidator(_place)]


@dataclass(frozen=True, slots=True, config=STRICT)
class Telegram:
    """The bot that speaks, and to whom. It needs a token of its own, never that of a monitored bot."""

    token: Token = Field(description="of the bot: {file:}, {env:} or {credential:}, never the token itself")
    chats: tuple[Place, ...] = Field(description="who is told: ids of chats, or {id, topic}")
    api: Url = Field(default=API, description="another server of the Bot API")

    def __post_init__(self) -> None:
        if not self.chats:
            raise ValueError("'chats' names nobody")
        ids = [(chat.id, chat.topic) for chat in self.chats]
        if len(set(ids)) < len(ids):
            raise ValueError("a chat is named twice in 'chats'")


@dataclass(frozen=True, slots=True, config=STRICT)
class Fallback:
    """Another way for critical messages: exactly one of chat, webhook. Used while none of the chats can be reached."""

    chat: ChatId | None = Field(default=None, description="another chat of the same bot")
    webhook: Hook | None = Field(default=None, description="URL that is given the message as JSON, or a secret that holds it")

    def __post_init__(self) -> None:
        if (self.chat is None) == (self.webhook is None):
            raise ValueError("needs exactly one of chat, webhook")
