"""What an answer of the Bot API means, row by row as in the table of its facts: code, then parameters, then words of the text.

Words are looked for as parts of the description and in any case: Telegram rewords them. Codes it does not list come as 400, so
that a 400 is about the message unless the text names the chat. Pure.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

FLOOD = 5.0
"""Seconds to wait after a 429 that names no time."""

LONGEST_WAIT = 86_400.0
"""Seconds of a `retry_after` that are believed."""


class Verdict(StrEnum):
    """done: it is there. moved: the group is a supergroup now. unparsed, too_long, no_topic, no_message: this form of it cannot
    go. refused: this message never. chat_off, bot_off: nothing to this chat, nothing with this token. wait: not before `wait`.
    again: it did not arrive. doubt: nobody knows whether it arrived.
    """

    DONE = "done"
    MOVED = "moved"
    UNPARSED = "unparsed"
    TOO_LONG = "too_long"
    NO_TOPIC = "no_topic"
    NO_MESSAGE = "no_message"
    REFUSED = "refused"
    CHAT_OFF = "chat_off"
    BOT_OFF = "bot_off"
    WAIT = "wait"
    AGAIN = "again"
    DOUBT = "doubt"


@dataclass(frozen=True, slots=True)
class Answer:
    """message_id: of the message that is there now. moved_to: the new id of the chat. wait: seconds. text: for people.

    spoken: it comes from the Bot API itself and is about this call, so that another message may well arrive.
    """

    verdict: Verdict
    text: str = ""
    message_id: int | None = None
    moved_to: int | None = None
    wait: float = 0.0
    spoken: bool = False


_BY_TEXT: tuple[tuple[int, str, Verdict], ...] = (
    (400, "message is not modified", Verdict.DONE),
    (400, "can't parse entities", Verdict.UNPARSED),
    (400, "message is too long", Verdict.TOO_LONG),
    (400, "message thread not found", Verdict.NO_TOPIC),
    (400, "topic_closed", Verdict.NO_TOPIC),
    (400, "message to edit not found", Verdict.NO_MESSAGE),
    (400, "message can't be edited", Verdict.NO_MESSAGE),
    (400, "chat not found", Verdict.CHAT_OFF),
    (400, "not enough rights to send", Verdict.CHAT_OFF),
    (400, "query is too old", Verdict.DONE),
)
"""Code, words of the description, what they mean."""

_BY_CODE: dict[int, Verdict] = {
    400: Verdict.REFUSED,
    401: Verdict.BOT_OFF,
    403: Verdict.CHAT_OFF,
    404: Verdict.BOT_OFF,
    409: Verdict.AGAIN,
    413: Verdict.REFUSED,
    421: Verdict.BOT_OFF,
}
"""What a code means whatever its text. 409 is about who polls for updates; sending goes on. Any other code will pass."""


def judge(status: int, body: bytes) -> Answer:
    """The answer to one call. A body that is no JSON of the Bot API (a proxy's page, half an answer) is judged by its code."""
    document = _document(body)
    if status == 200 and document.get("ok") is True:
        return Answer(Verdict.DONE, message_id=_message_id(document.get("result")))
    if status == 200:
        return Answer(Verdict.DOUBT, "HTTP 200 with an answer that cannot be read")
    code = _whole(document.get("error_code")) or status
    said = document.get("description")
    text = f"{code} {said}" if isinstance(said, str) else f"HTTP {status}"
    parameters = document.get("parameters")
    parameters = parameters if isinstance(parameters, dict) else {}
    moved_to = _whole(parameters.get("migrate_to_chat_id"))
    if code == 400 and moved_to is not None:
        return Answer(Verdict.MOVED, text, moved_to=moved_to)
    if code == 429:
        return Answer(Verdict.WAIT, text, wait=_wait(parameters.get("retry_after"), text))
    words = text.casefold()
    known = next((verdict for at, part, verdict in _BY_TEXT if at == code and part in words), None)
    return Answer(known or _BY_CODE.get(code, Verdict.AGAIN), text, spoken=isinstance(said, str))


def _document(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _message_id(result: object) -> int | None:
    return _whole(result.get("message_id")) if isinstance(result, dict) else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _wait(asked: object, text: str) -> float:
    """Of the parameters; else the number in the words; else a little."""
    if isinstance(asked, int | float) and not isinstance(asked, bool) and asked >= 0:
        return min(float(asked), LONGEST_WAIT)
    found = re.search(r"retry after (\d{1,6})", text, re.IGNORECASE)
    return min(float(found[1]), LONGEST_WAIT) if found else FLOOD
