"""Films of delivery: the whole road from a notice to what people see, with T1 to T29 and T32 of the facts about Telegram."""

from __future__ import annotations

from tests.fakes.bot_api import NO_WAY
from tests.fakes.mail import Mail
from tests.fakes.runtime import play
from watchdog.model.incident import Tier
from watchdog.model.letter import LetterState
from watchdog.model.records import NoticeKind


def test_a_message_is_sent_edited_and_closed_and_its_row_is_done_with_its_number() -> None:
    async def film() -> None:
        mail = Mail()
        async with mail.at_work():
            await mail.say("🟡 bot: down for 3 min", tier=Tier.SOFT)
            await mail.wait(1)
            assert mail.states() == [LetterState.SENT]
            assert (mail.letters()[0].message_id, mail.delivered()) == (1, {1})
            await mail.wait(60)
            await mail.say("🟡 bot: being healed", tier=Tier.SOFT, kind=NoticeKind.EDIT)
            await mail.wait(1)
            await mail.say("🟡 bot: healed", tier=Tier.SOFT, kind=NoticeKind.CLOSE)
            await mail.wait(5)
        assert [each.texts for each in mail.telegram.messages] == [
            ["🟡 bot: down for 3 min", "🟡 bot: being healed", "🟡 bot: healed"]
        ]
        assert all(each.quiet for each in mail.telegram.messages)

    play(film())


def test_a_rise_is_a_new_message_with_sound_and_its_close_is_an_edit_with_a_silent_reply() -> None:
    async def film() -> None:
        mail = Mail()
        async with mail.at_work():
            await mail.say("🟡 bot: down", tier=Tier.SOFT)
            await mail.wait(2)
            await mail.say("🔴 bot down 15 min")
            await mail.wait(2)
            await mail.say("✅ bot is back", kind=NoticeKind.CLOSE)
            await mail.wait(5)
        soft, critical, reply = mail.telegram.messages
        assert (soft.quiet, critical.quiet, reply.quiet) == (True, False, True)
        assert (critical.answers, reply.answers) == (soft.id, critical.id)
        assert (critical.texts, reply.text) == (["🔴 bot down 15 min", "✅ bot is back"], "✅ bot is back")

    play(film())


def test_an_outage_of_minutes_keeps_all_and_says_that_it_is_late() -> None:
    async def film() -> None:
        mail = Mail()
        async with mail.at_work():
            mail.telegram.always = NO_WAY
            await mail.say("🔴 bot down")
            await mail.wait(840)
            mail.telegram.always = None
            await mail.wait(400)
        (only,) = mail.telegram.seen()
        assert only.startswith("🔴 bot down\nDelayed ")

    play(film())
