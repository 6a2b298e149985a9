"""Whether people are reached: told by the outbox as it is."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from tests.fakes.bot_api import NO_WAY, TOKEN, error
from tests.fakes.mail import Mail, alerts
from tests.fakes.runtime import play
from watchdog.alerts.reach import PATIENCE, Reach, reach
from watchdog.model.incident import Tier
from watchdog.model.records import Notice, NoticeKind

NOTICE = Notice(1, 1, "bot", Tier.CRITICAL, NoticeKind.NEW, 1000.0, "🔴 bot down")


def test_only_what_is_critical_and_waits_beyond_patience_is_late() -> None:
    found = reach([replace(NOTICE, at=1100.0), NOTICE, replace(NOTICE, tier=Tier.SOFT, at=10.0)], {"1": "", "2": "403 blocked"})
    assert found == Reach(3, 2, 1000.0, {"2": "403 blocked"})
    assert found.late(1000.0 + PATIENCE) == 0.0
    assert found.late(1001.0 + PATIENCE) == PATIENCE + 1
    assert reach([], {}).late(9e9) == 0.0


def test_t9_t12_t13_a_chat_or_a_bot_that_is_shut_out_is_told_until_it_is_let_in_again() -> None:
    async def film() -> None:
        mail = Mail(alerts(1, 2))
        mail.telegram.blocked.add(1)
        async with mail.at_work():
            await mail.say("🔴 bot down")
            await mail.wait(5)
            assert mail.outbox.reach().closed == {"telegram:1": "403 Forbidden: bot was blocked by the user"}
            mail.telegram.blocked.clear()
            mail.outbox.use(mail.ways.of(mail.alerts), mail.alerts)
            mail.telegram.token = "1:another"
            await mail.say("🔴 bot 2 down", incident=2)
            await mail.wait(5)
            shut = mail.outbox.reach()
            assert set(shut.closed.values()) == {"401 Unauthorized"}
            assert (shut.waiting, shut.critical) == (1, 1)

    play(film())


def test_t32_while_telegram_is_away_what_is_critical_is_late_after_five_minutes() -> None:
    async def film() -> None:
        mail = Mail()
        async with mail.at_work():
            mail.telegram.always = NO_WAY
            await mail.say("🔴 bot down")
            await mail.wait(PATIENCE - 10)
            assert mail.outbox.reach().late(mail.clock.now()) == 0
            await mail.wait(20)
            assert mail.outbox.reach().late(mail.clock.now()) > PATIENCE
            mail.telegram.always = None
            await mail.wait(400)
            assert mail.outbox.reach() == Reach()

    play(film())


def test_what_waited_for_a_chat_that_left_the_configuration_goes_to_those_of_now() -> None:
    async def film(*, killed: bool) -> None:
        mail = Mail(alerts(1))
        mail.telegram.token = "1:another"
        async with mail.at_work():
            await mail.say("🔴 bot down")
            await mail.wait(5)
            mail.telegram.token = TOKEN
            mail.alerts = alerts(2)
            if not killed:
                mail.outbox.use(mail.ways.of(mail.alerts), mail.alerts)
                await mail.wait(5)
        if killed:
            mail.begin()
            async with mail.at_work():
                await mail.wait(5)
        assert [text.split("\n")[0] for text in mail.telegram.seen(2)] == ["🔴 bot down"]
        assert mail.outbox.reach() == Reach()

    play(film(killed=False))
    play(film(killed=True))


def test_a_test_message_that_arrives_opens_the_chat_again_and_a_refused_one_waits_no_more() -> None:
    async def film() -> None:
        mail = Mail(alerts(1))
        mail.telegram.blocked.add(1)
        async with mail.at_work():
            await mail.say("🔴 bot down")
            await mail.wait(5)
            assert mail.outbox.reach().closed
            mail.telegram.blocked.clear()
            await mail.outbox.trial()
            await mail.wait(5)
            assert any("bot down" in text for text in mail.telegram.seen(1)), "it goes at once"
            assert mail.outbox.reach() == Reach()
            mail.telegram.by_chat[1] = deque([error(400, "Bad Request: CHAT_RESTRICTED")] * 2)
            await mail.say("🔴 bot 2 down", incident=2)
            await mail.wait(PATIENCE + 60)
            assert mail.outbox.reach() == Reach(), "a dead letter is the outbox's to show; nothing waits"

    play(film())
