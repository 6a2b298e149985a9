"""Row by row the table of answers: code, parameters, words, and what each means."""

from __future__ import annotations

import json
from typing import Any

import pytest

from watchdog.alerts.answers import FLOOD, Answer, Verdict, judge


def said(code: int, description: str, **parameters: Any) -> Answer:
    document = {"ok": False, "error_code": code, "description": description, "parameters": parameters}
    return judge(code, json.dumps(document).encode())


TABLE = [
    ("T2", 400, "Bad Request: message is not modified: specified new message content", Verdict.DONE),
    ("T4", 400, 'Bad Request: can\'t parse entities: Unsupported start tag "x" at byte offset 5', Verdict.UNPARSED),
    ("T5", 400, "Bad Request: message is too long", Verdict.TOO_LONG),
    ("T6", 400, "Bad Request: message thread not found", Verdict.NO_TOPIC),
    ("T6", 400, "Bad Request: TOPIC_CLOSED", Verdict.NO_TOPIC),
    ("T7", 400, "Bad Request: message to edit not found", Verdict.NO_MESSAGE),
    ("T7", 400, "Bad Request: message can't be edited", Verdict.NO_MESSAGE),
    ("T9", 400, "Bad Request: chat not found", Verdict.CHAT_OFF),
    ("T9", 400, "Bad Request: not enough rights to send text messages to the chat", Verdict.CHAT_OFF),
    ("T10", 400, "Bad Request: query is too old and response timeout expired or query ID is invalid", Verdict.DONE),
    ("T11", 400, "Bad Request: something that nobody has seen before", Verdict.REFUSED),
    ("T12", 401, "Unauthorized", Verdict.BOT_OFF),
    ("T12", 401, "Unauthorized: invalid token specified", Verdict.BOT_OFF),
    ("T12", 404, "Not Found", Verdict.BOT_OFF),
    ("T13", 403, "Forbidden: bot was blocked by the user", Verdict.CHAT_OFF),
    ("T13", 403, "Forbidden: user is deactivated", Verdict.CHAT_OFF),
    ("T13", 403, "Forbidden: bot was kicked from the supergroup chat", Verdict.CHAT_OFF),
    ("T13", 403, "Forbidden: bot is not a member of the channel chat", Verdict.CHAT_OFF),
    ("T13", 403, "Forbidden: the group chat was deleted", Verdict.CHAT_OFF),
    ("T14", 409, "Conflict: terminated by other getUpdates request", Verdict.AGAIN),
    ("T15", 409, "Conflict: can't use getUpdates method while webhook is active", Verdict.AGAIN),
    ("T16", 413, "Request Entity Too Large", Verdict.REFUSED),
    ("T16", 421, "Misdirected Request: unallowed token", Verdict.BOT_OFF),
    ("T20", 500, "Internal Server Error: restart", Verdict.AGAIN),
]


@pytest.mark.parametrize(("row", "code", "words", "verdict"), TABLE, ids=[f"{row[0]}-{row[2][:40]}" for row in TABLE])
def test_what_an_answer_means(row: str, code: int, words: str, verdict: Verdict) -> None:
    assert said(code, words).verdict is verdict, row
    assert said(code, words.upper()).verdict is verdict, "Telegram rewords, so that case is nothing to go by"


def test_t1_done_has_the_number_of_the_message() -> None:
    assert judge(200, b'{"ok":true,"result":{"message_id":42}}') == Answer(Verdict.DONE, message_id=42)
    assert judge(200, b'{"ok":true,"result":true}') == Answer(Verdict.DONE)


def test_t3_a_group_that_became_a_supergroup_names_its_new_id() -> None:
    found = said(400, "Bad Request: group chat was upgraded to a supergroup chat", migrate_to_chat_id=-1001234567890123)
    assert (found.verdict, found.moved_to) == (Verdict.MOVED, -1001234567890123)


@pytest.mark.parametrize(
    ("words", "parameters", "wait"),
    [
        ("Too Many Requests: retry after 34", {"retry_after": 34}, 34.0),
        ("Too Many Requests: retry after 12", {}, 12.0),
        ("Too Many Requests", {}, FLOOD),
        ("Too Many Requests: retry after 18053", {"retry_after": 18053}, 18053.0),
        ("Too Many Requests", {"retry_after": "soon"}, FLOOD),
    ],
)
def test_t17_t18_t19_how_long_to_wait(words: str, parameters: dict[str, Any], wait: float) -> None:
    found = said(429, words, **parameters)
    assert (found.verdict, found.wait) == (Verdict.WAIT, wait)


@pytest.mark.parametrize(
    ("status", "body", "verdict"),
    [
        (502, b"<html><body>502 Bad Gateway</body></html>", Verdict.AGAIN),
        (504, b"", Verdict.AGAIN),
        (500, b'{"ok":false', Verdict.AGAIN),
        (200, b'{"ok":true,"result":{"message_id":4', Verdict.DOUBT),
        (200, b"<html>captive portal</html>", Verdict.DOUBT),
        (403, b"<html>proxy</html>", Verdict.CHAT_OFF),
        (302, b"", Verdict.AGAIN),
        (200, b"[" * 100_000, Verdict.DOUBT),
        (200, b"\xff\xfe", Verdict.DOUBT),
    ],
)
def test_t20_a_body_that_is_no_answer_of_the_bot_api_hurts_nobody(status: int, body: bytes, verdict: Verdict) -> None:
    assert judge(status, body).verdict is verdict


def test_only_the_bot_api_itself_speaks_about_one_message() -> None:
    assert said(500, "Internal Server Error: sendMessage").spoken
    assert not judge(502, b"<html>").spoken
