"""What goes over the wire to the Bot API, and that no token is ever seen beside it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from recovery.breaker import Breakers
from tests.fakes.bot_api import CUT, DROPPED, GATEWAY, HANGS, NO_WAY, TOKEN, MockApi, Telegram, served
from watchdog.alerts.answers import Answer, Verdict
from watchdog.alerts.draft import Draft
from watchdog.alerts.telegram import Bot, TelegramChat
from watchdog.alerts.wire import Wire
from watchdog.clock import Clock
from watchdog.config.secrets import Secret

TEXT = "🔴 eZee <Scraper> down\nsince 03:32\n\nSaw     4 & more\nAct     watchdogctl incident 1"


def api() -> Telegram:
    return Telegram(Clock().monotonic, chats=(1, -100))


def bot(telegram: Telegram, token: str = TOKEN, deadline: float = 5.0) -> Bot:
    return Bot(
        Secret("file token", token), "http://telegram.test", Breakers(Clock().monotonic), Wire(MockApi(telegram), deadline)
    )


async def test_messages_edits_and_replies_are_what_a_real_client_would_send() -> None:
    """aiogram's own models accept what we send, and what the fake answers."""
    from aiogram.methods import EditMessageText, SendMessage  # takes seconds: not while tests are collected
    from aiogram.types import Message

    checks = {"sendMessage": SendMessage.model_validate, "editMessageText": EditMessageText.model_validate}
    telegram = api()
    telegram.topics[-100] = {5}
    chat = TelegramChat(bot(telegram), -100, 5)
    new = chat.draft(TEXT, None, topicless=False)
    first = await chat.deliver(replace(new, quiet=False))
    assert first == Answer(Verdict.DONE, message_id=1)
    assert (await chat.deliver(replace(new, answers=1))).message_id == 2
    assert (await chat.deliver(replace(new, text="✅ back", edits=1))).message_id == 1
    for method, given in telegram.calls:
        checks[method](given)
    answer = telegram.answer(TOKEN, "sendMessage", {"chat_id": 1, "text": "hello"})
    assert Message.model_validate(answer.body["result"]).text == "hello"
    loud, reply, edit = (given for _, given in telegram.calls[:3])
    assert (loud["disable_notification"], reply["disable_notification"]) == (False, True)
    assert (loud["message_thread_id"], loud["parse_mode"], loud["link_preview_options"]) == (5, "HTML", {"is_disabled": True})
    assert reply["reply_parameters"] == {"message_id": 1, "allow_sending_without_reply": True}
    assert "message_thread_id" not in edit
    assert telegram.messages[0].texts[0] == TEXT.replace("Saw     ", "Saw ").replace("Act     ", "Act ")


async def test_without_markup_it_is_the_text_itself() -> None:
    telegram = api()
    await TelegramChat(bot(telegram), 1).deliver(Draft("a <b> & c", chat=1, marked=False))
    ((_, given),) = telegram.calls
    assert given["text"] == "a <b> & c"
    assert "parse_mode" not in given


async def test_what_did_not_fit_follows_as_a_file() -> None:
    telegram = api()
    chat = TelegramChat(bot(telegram), 1)
    draft = Draft("head\n" + "x" * 9000, chat=1)
    assert (await chat.deliver(draft)).verdict is Verdict.DONE
    assert (await chat.attach(draft, 1)).verdict is Verdict.DONE
    assert telegram.files == [(1, draft.text.encode())]


@pytest.mark.parametrize("moved", [None, -1001])
def test_a_letterhead_knows_where_a_chat_went(moved: int | None) -> None:
    chat = TelegramChat(bot(api()), -100, 5)
    assert chat.address == "telegram:-100/5"
    draft = chat.draft("x", moved, topicless=moved is not None)
    assert (draft.chat, draft.topic) == ((-100, 5) if moved is None else (-1001, None))


@pytest.mark.parametrize(
    ("fault", "verdict"),
    [(GATEWAY, Verdict.AGAIN), (CUT, Verdict.DOUBT), (DROPPED, Verdict.DOUBT), (HANGS, Verdict.DOUBT), (NO_WAY, Verdict.AGAIN)],
)
async def test_t20_t21_t22_what_may_have_arrived_is_told_from_what_cannot_have(fault: Any, verdict: Verdict) -> None:
    telegram = api()
    telegram.faults.append(fault)
    answer = await TelegramChat(bot(telegram, deadline=0.2), 1).deliver(Draft("x", chat=1))
    assert answer.verdict is verdict
    assert TOKEN not in answer.text


async def test_after_five_failures_the_breaker_asks_no_more() -> None:
    telegram = api()
    telegram.always = NO_WAY
    chat = TelegramChat(bot(telegram), 1)
    answers = [await chat.deliver(Draft("x", chat=1)) for _ in range(6)]
    assert [each.wait for each in answers] == [0, 0, 0, 0, 0, 30.0]
    assert "telegram is not called" in answers[-1].text


async def test_a_token_that_cannot_be_one_never_becomes_a_url() -> None:
    telegram = api()
    for token in ("", "123/../x:y", "no token\n", "1:a b"):
        assert (await TelegramChat(bot(telegram, token), 1).check()).verdict is Verdict.BOT_OFF
    assert telegram.calls == []


async def test_a_token_is_asked_for_by_the_bot_itself() -> None:
    telegram = api()
    assert (await TelegramChat(bot(telegram), 1).check()).verdict is Verdict.DONE
    assert (await TelegramChat(bot(telegram, "1:wrong"), 1).check()).verdict is Verdict.BOT_OFF
    assert telegram.methods() == ["getMe", "getMe"], "deleteWebhook is never called (T15)"


def test_nothing_that_is_printed_shows_the_token() -> None:
    made = bot(api())
    assert TOKEN not in f"{made!r} {made} {TelegramChat(made, 1)!r}"


async def test_over_a_real_socket() -> None:
    """The stock transport, the real HTTP."""
    telegram = api()
    with served(telegram) as url:
        wire = Wire(None, 0.5)
        real = TelegramChat(Bot(Secret("file token", TOKEN), url, Breakers(Clock().monotonic), wire), 1)
        assert (await real.deliver(Draft("x", chat=1))).message_id == 1
        for fault, verdict in ((GATEWAY, Verdict.AGAIN), (DROPPED, Verdict.DOUBT), (HANGS, Verdict.DOUBT)):
            telegram.faults.append(fault)
            assert (await real.deliver(Draft("y", chat=1))).verdict is verdict
        await wire.close()
    gone = Bot(Secret("file token", TOKEN), url, Breakers(Clock().monotonic), Wire())
    answer = await gone.call("getMe", {})
    assert answer.verdict is Verdict.AGAIN
    assert TOKEN not in json.dumps(answer.text)
    await gone.close()
