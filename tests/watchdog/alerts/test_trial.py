from __future__ import annotations

import pytest

from tests.fakes.bot_api import MockApi, Telegram
from tests.fakes.mail import alerts
from watchdog.alerts.channel import Channels
from watchdog.alerts.trial import trial
from watchdog.alerts.ways import Ways
from watchdog.clock import Clock
from watchdog.errors import Refused


async def test_each_place_is_tried_and_says_what_to_do() -> None:
    telegram = Telegram(Clock().monotonic, chats=(1, 2, -100))
    telegram.blocked.add(2)
    ways = Ways(Clock().monotonic, MockApi(telegram))
    found = await trial(ways.of(alerts(1, 2, 4, fallback=-100)), "03:47")
    await ways.close()
    assert [(each["to"], each["ok"]) for each in found["chats"]] == [
        ("telegram:1", True), ("telegram:2", False), ("telegram:4", False), ("telegram:-100", True)
    ]  # fmt: skip
    assert found["text"].split("\n")[0] == "✓ telegram:1: arrived"
    assert "unblock it" in found["text"]
    assert "03:47" in telegram.seen(1)[0]


async def test_without_a_channel_it_says_what_to_set() -> None:
    with pytest.raises(Refused, match=r"alerts\.telegram"):
        await trial(Channels(), "03:47")
