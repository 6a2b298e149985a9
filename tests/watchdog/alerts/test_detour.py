from __future__ import annotations

from dataclasses import replace

from watchdog.alerts.box import Box, Line
from watchdog.alerts.detour import PATIENCE, stranded
from watchdog.model.incident import Tier
from watchdog.model.letter import Chat, Letter
from watchdog.model.records import Notice, NoticeKind

NOTICE = Notice(1, 1, "bot", Tier.CRITICAL, NoticeKind.NEW, 1000.0, "text")


def place(*, off: str = "", until: float = 0.0, bot: str = "") -> tuple[Box, Line]:
    box = Box("telegram:1")
    box.put(Letter(1, "telegram:1", 1), NOTICE)
    box.chat, box.until = Chat("telegram:1", off=off), until
    return box, Line(off=bot)


def test_one_open_chat_is_enough() -> None:
    assert not stranded(NOTICE, [place(off="blocked"), place()], 1001.0, 0.0)


def test_closed_chats_a_closed_bot_and_a_long_wait_strand_it_at_once() -> None:
    for closed in (place(off="blocked"), place(bot="401"), place(until=121.0)):
        assert stranded(NOTICE, [closed], 1001.0, 0.0)
    assert not stranded(NOTICE, [place(until=34.0)], 1001.0, 0.0)


def test_a_chat_that_gave_it_up_does_not_count() -> None:
    assert stranded(NOTICE, [(Box("telegram:2"), Line())], 1001.0, 0.0)


def test_patience_has_an_end() -> None:
    assert stranded(NOTICE, [place()], 1000.0 + PATIENCE, 0.0)


def test_only_what_is_critical_and_not_over_takes_another_way() -> None:
    for other in (replace(NOTICE, tier=Tier.SOFT), replace(NOTICE, kind=NoticeKind.CLOSE)):
        assert not stranded(other, [place(off="blocked")], 9999.0, 0.0)
