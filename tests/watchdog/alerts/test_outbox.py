"""Films of delivery: the whole road from a notice to what people see, with T1 to T29 and T32 of the facts about Telegram."""

from __future__ import annotations

from collections import deque

from tests.fakes.bot_api import CUT, DROPPED, FLOOD, GATEWAY, NO_WAY, RESTART, TOKEN, error
from tests.fakes.mail import Mail, alerts
from tests.fakes.runtime import play
from watchdog.config.schema import ChatPlace
from watchdog.model.incident import Tier
from watchdog.model.letter import LetterState
from watchdog.model.records import Notice, NoticeKind


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


def test_t3_t28_a_group_that_moved_gets_all_that_waits_in_order_and_the_operator_is_told_once() -> None:
    async def film() -> None:
        mail = Mail(alerts(-100))
        mail.telegram.chats.add(-1001)
        mail.telegram.moved[-100] = -1001
        for number in (1, 2, 3):
            await mail.say(f"🔴 bot {number} down", incident=number)
        async with mail.at_work():
            await mail.wait(10)
        assert mail.telegram.seen(-1001) == [f"🔴 bot {number} down" for number in (1, 2, 3)]
        assert len(mail.remarks) == 1
        assert "-1001" in mail.remarks[0]
        assert [method for method, given in mail.telegram.calls if given["chat_id"] == -100] == ["sendMessage"]
        mail.begin()
        async with mail.at_work():
            await mail.say("🔴 bot 4 down", incident=4)
            await mail.wait(5)
        assert mail.telegram.calls[-1][1]["chat_id"] == -1001, "known after a restart"

    play(film())


def test_t4_what_cannot_be_parsed_goes_as_plain_text() -> None:
    async def film() -> None:
        mail = Mail()
        mail.telegram.faults.append(error(400, "Bad Request: can't parse entities: odd at byte offset 3"))
        async with mail.at_work():
            await mail.say("🔴 bot <down>")
            await mail.wait(5)
        assert mail.telegram.seen() == ["🔴 bot <down>"]
        assert ["parse_mode" in given for _, given in mail.telegram.calls] == [True, False]

    play(film())


def test_t5_a_long_message_loses_the_middle_of_values_and_follows_as_a_file() -> None:
    async def film() -> None:
        mail = Mail()
        text = "🔴 bot down\n" + "\n".join(f"Saw     {'🔴<x> & ' * 400}" for _ in range(3))
        async with mail.at_work():
            await mail.say(text)
            await mail.wait(5)
            mail.telegram.faults.append(error(400, "Bad Request: message is too long"))
            await mail.say("🔴 other down\n" + "y" * 3000, incident=2)
            await mail.wait(5)
        assert len(mail.telegram.messages) == 2
        assert mail.telegram.files[0] == (1, text.encode())
        assert len(mail.telegram.files) == 2, "what the server would not take is cut further"

    play(film())


def test_t6_a_closed_topic_is_left_out_and_said_once() -> None:
    async def film() -> None:
        mail = Mail(alerts(ChatPlace(id=-100, topic=5)))
        async with mail.at_work():
            for number in (1, 2):
                await mail.say(f"🔴 bot {number} down", incident=number)
                await mail.wait(5)
        assert [each.topic for each in mail.telegram.messages] == [None, None]
        assert len(mail.remarks) == 1

    play(film())


def test_t7_t8_a_message_that_somebody_deleted_is_replaced_and_a_reply_to_it_still_arrives() -> None:
    async def film() -> None:
        mail = Mail()
        async with mail.at_work():
            await mail.say("🟡 bot: down", tier=Tier.SOFT)
            await mail.wait(60)
            mail.telegram.forget(1)
            await mail.say("🟡 bot: being healed", tier=Tier.SOFT, kind=NoticeKind.EDIT)
            await mail.wait(5)
            assert mail.telegram.seen() == ["🟡 bot: being healed"]
            mail.telegram.forget(1)
            await mail.say("🔴 bot down 15 min")
            await mail.wait(5)
        assert mail.telegram.seen()[-1] == "🔴 bot down 15 min"

    play(film())


def test_t9_t13_who_blocked_the_bot_costs_nobody_anything_and_is_welcome_back() -> None:
    async def film() -> None:
        mail = Mail(alerts(1, 2))
        mail.telegram.blocked.add(1)
        async with mail.at_work():
            await mail.say("🔴 bot down")
            await mail.wait(5)
            assert mail.telegram.seen() == ["🔴 bot down"]
            assert mail.delivered() == {1}
            assert sorted(mail.states()) == [LetterState.REFUSED, LetterState.SENT], "what others have needs no knocking"
            mail.telegram.blocked.clear()
            await mail.say("🔴 bot 2 down", incident=2)
            await mail.wait(5)
            mail.outbox.use(mail.ways.of(mail.alerts), mail.alerts)
            await mail.say("🔴 bot 3 down", incident=3)
            await mail.wait(5)
        assert [text.split("\n")[0] for text in mail.telegram.seen(1)] == ["🔴 bot 3 down"], "a reload opens it again"

    play(film())


def test_t13_what_reached_nobody_is_tried_for_ever() -> None:
    async def film() -> None:
        mail = Mail(alerts(1))
        mail.telegram.blocked.add(1)
        async with mail.at_work():
            await mail.say("🔴 bot down")
            await mail.wait(3 * 86_400)
            assert 800 < len(mail.telegram.calls) < 900, "every five minutes"
            mail.telegram.blocked.clear()
            await mail.wait(310)
        assert mail.telegram.seen()[0].split("\n")[0] == "🔴 bot down"
        assert mail.delivered() == {1}

    play(film())


def test_t9_t12_t19_a_critical_message_takes_another_way_and_stays_queued() -> None:
    async def film(trouble: str) -> None:
        mail = Mail(alerts(1, fallback=2))
        if trouble == "blocked":
            mail.telegram.blocked.add(1)
        elif trouble == "flood":
            mail.telegram.by_chat[1] = deque([error(429, "Too Many Requests", retry_after=18053)])
        else:
            mail.telegram.by_chat[1] = deque([error(400, "Bad Request: chat not found")])
        async with mail.at_work():
            await mail.say("🔴 bot down")
            await mail.wait(20)
            assert mail.telegram.seen() == ["🔴 bot down"]
            assert [each.chat for each in mail.telegram.messages] == [2]
            await mail.say("🟡 other: healed", incident=2, tier=Tier.SOFT)
            await mail.say("✅ bot is back", kind=NoticeKind.CLOSE)
            await mail.wait(20)
        assert mail.telegram.seen(2) == ["✅ bot is back", "✅ bot is back"], "its close follows; what is soft does not"
        if trouble == "flood":
            assert LetterState.WAITING in mail.states()

    for trouble in ("blocked", "flood", "unknown"):
        play(film(trouble))


def test_t11_t29_a_message_that_cannot_go_is_given_up_and_those_behind_it_arrive() -> None:
    async def film() -> None:
        mail = Mail()
        odd = error(400, "Bad Request: something new")
        mail.telegram.faults.extend([odd, odd])
        for number in (1, 2):
            await mail.say(f"🔴 bot {number} down", incident=number)
        async with mail.at_work():
            await mail.wait(10)
        assert mail.telegram.seen() == ["🔴 bot 2 down"]
        assert mail.states() == [LetterState.REFUSED, LetterState.SENT]

    play(film())


def test_t29_a_message_at_which_the_server_fails_does_not_hold_the_others_up() -> None:
    async def film() -> None:
        mail = Mail()
        mail.telegram.poison = "odd"
        for number, text in enumerate(("🔴 odd", "🔴 bot 2 down", "🔴 bot 3 down"), 1):
            await mail.say(text, incident=number)
        async with mail.at_work():
            await mail.wait(30)
            assert mail.telegram.seen() == ["🔴 bot 2 down", "🔴 bot 3 down"]
            mail.telegram.poison = ""
            await mail.wait(400)
        assert mail.telegram.seen()[-1].startswith("🔴 odd")

    play(film())


def test_t12_a_token_that_is_not_let_in_is_asked_about_every_five_minutes_and_heals() -> None:
    async def film() -> None:
        mail = Mail(alerts(1, 2))
        mail.telegram.token = "1:another"
        async with mail.at_work():
            await mail.say("🔴 bot down")
            await mail.wait(1000)
            asked = mail.telegram.methods()
            assert asked.count("getMe") == 3
            assert asked.count("sendMessage") <= 2
            mail.telegram.token = TOKEN
            await mail.wait(310)
        assert len(mail.telegram.messages) == 2

    play(film())


def test_t16_too_large_is_given_up_and_a_token_that_is_not_allowed_is_the_bot_s_trouble() -> None:
    async def film() -> None:
        mail = Mail()
        large = error(413, "Request Entity Too Large")
        mail.telegram.faults.extend([large, large, error(421, "Misdirected Request: unallowed token")])
        for number in (1, 2):
            await mail.say(f"🔴 bot {number} down", incident=number)
        async with mail.at_work():
            await mail.wait(10)
            assert mail.states() == [LetterState.REFUSED, LetterState.WAITING]
            await mail.wait(310)
        assert mail.telegram.seen()[0].startswith("🔴 bot 2 down")

    play(film())


def test_t17_a_wait_that_is_asked_for_is_kept_uses_no_attempt_and_survives_a_restart() -> None:
    async def film() -> None:
        mail = Mail()
        mail.telegram.faults.append(FLOOD)
        async with mail.at_work():
            await mail.say("🔴 bot down")
            await mail.wait(10)
        (letter,) = mail.letters()
        assert letter.attempts == 0
        mail.begin()
        async with mail.at_work():
            await mail.wait(23)
            assert mail.telegram.messages == []
            await mail.wait(5)
        assert mail.telegram.seen() == ["🔴 bot down"]
        assert 34 <= mail.telegram.messages[0].at <= 38

    play(film())


def test_t18_without_a_number_five_seconds() -> None:
    async def film() -> None:
        mail = Mail()
        mail.telegram.faults.append(error(429, "Too Many Requests"))
        async with mail.at_work():
            await mail.say("🔴 bot down")
            await mail.wait(30)
        assert 5 <= mail.telegram.messages[0].at <= 6

    play(film())


def test_t19_two_chats_that_are_told_to_wait_mean_all() -> None:
    async def film() -> None:
        mail = Mail(alerts(1, 2, 3))
        slow = error(429, "Too Many Requests", retry_after=50)
        mail.telegram.by_chat = {1: deque([slow]), 2: deque([slow])}
        async with mail.at_work():
            await mail.say("🔴 bot down")
            await mail.wait(5)
            await mail.say("🔴 bot 2 down", incident=2)
            await mail.wait(5)
            assert {each.chat for each in mail.telegram.messages} <= {3}
            assert len(mail.telegram.messages) <= 1, "the third waits too"
            await mail.wait(60)
        assert len(mail.telegram.messages) == 6

    play(film())


def test_t20_a_server_that_is_ill_is_asked_less_and_less() -> None:
    async def film() -> None:
        mail = Mail()
        mail.telegram.faults.extend([RESTART, GATEWAY, RESTART])
        async with mail.at_work():
            await mail.say("🔴 bot down")
            await mail.wait(30)
        assert mail.telegram.seen() == ["🔴 bot down"]
        assert 7 <= mail.telegram.messages[0].at <= 9, "1 + 2 + 4 s"

    play(film())


def test_t22_what_may_have_arrived_is_repeated_and_says_so_and_an_edit_is_made_again() -> None:
    async def film() -> None:
        mail = Mail()
        async with mail.at_work():
            mail.telegram.faults.append(DROPPED)
            await mail.say("🔴 bot down")
            await mail.wait(10)
            assert mail.telegram.seen() == ["🔴 bot down", "🔴 bot down (repeat)"]
            await mail.wait(60)
            mail.telegram.faults.append(CUT)
            await mail.say("🔴 bot still down", kind=NoticeKind.EDIT)
            await mail.wait(10)
            assert mail.telegram.seen() == ["🔴 bot down", "🔴 bot still down"]
            mail.telegram.faults.extend([DROPPED, DROPPED, DROPPED])
            await mail.say("☀ digest", incident=None, tier=Tier.SOFT)
            await mail.wait(600)
        assert [text for text in mail.telegram.seen() if "digest" in text] == ["☀ digest", "☀ digest (repeat)"]

    play(film())


def test_t23_a_daemon_killed_between_send_and_commit_repeats_an_alert_once_and_no_digest() -> None:
    async def film(incident: int | None, tier: Tier, expected: list[str]) -> None:
        mail = Mail()
        await mail.say("text", incident=incident, tier=tier)
        async with mail.at_work():
            await mail.clock.sleep(1)  # sent, and the answer is not committed
        assert len(mail.telegram.messages) == 1
        mail.begin()
        async with mail.at_work():
            await mail.wait(700)
        mail.begin()
        async with mail.at_work():
            await mail.wait(700)
        assert mail.telegram.seen() == expected

    play(film(1, Tier.CRITICAL, ["text", "text (repeat)"]))
    play(film(None, Tier.SOFT, ["text"]))


def test_t24_five_hundred_at_once_are_no_more_than_twenty_a_minute_and_critical_ones_lead() -> None:
    async def film() -> None:
        mail = Mail(alerts(-100))
        for number in range(1, 501):
            await mail.say(f"{number}", incident=number, tier=Tier.CRITICAL if number % 50 == 0 else Tier.SOFT)
        async with mail.at_work():
            await mail.wait(1800)
        times = [each.at for each in mail.telegram.messages]
        assert all(sum(1 for at in times if start <= at < start + 60) <= 20 for start in times)
        assert mail.telegram.seen()[:10] == [str(number) for number in range(50, 501, 50)]
        assert mail.telegram.seen()[10].startswith("📭 490 messages")
        assert len(mail.telegram.messages) == 11

    play(film())


def test_t25_of_two_edits_the_newest_is_what_is_read_and_they_are_half_a_minute_apart() -> None:
    async def film() -> None:
        mail = Mail()
        async with mail.at_work():
            await mail.say("first", tier=Tier.SOFT)
            await mail.wait(1)
            for number in range(5):
                await mail.say(f"edit {number}", tier=Tier.SOFT, kind=NoticeKind.EDIT)
                await mail.wait(1)
            await mail.wait(60)
        assert mail.telegram.messages[0].texts == ["first", "edit 4"]

    play(film())


def test_t27_a_clock_that_is_set_makes_no_burst_and_no_endless_wait() -> None:
    async def film(step: float) -> None:
        mail = Mail()
        mail.telegram.faults.append(FLOOD)
        async with mail.at_work():
            await mail.say("🔴 bot down")
            await mail.wait(5)
            mail.clock.step = step
            await mail.wait(10)
            assert mail.telegram.messages == []
        mail.begin()
        async with mail.at_work():
            await mail.wait(40)
        assert len(mail.telegram.messages) == 1

    play(film(3600.0))
    play(film(-3600.0))


def test_t32_after_six_hours_the_current_criticals_come_first_in_order_and_then_one_summary() -> None:
    async def film() -> None:
        mail = Mail()
        async with mail.at_work():
            await mail.say("🟡 bot 0: down", incident=100, tier=Tier.SOFT)
            await mail.wait(60)
            mail.telegram.always = NO_WAY
            await mail.say("🟡 bot 0: healed", incident=100, tier=Tier.SOFT, kind=NoticeKind.CLOSE)
        for life in range(3):
            mail.begin()
            async with mail.at_work():
                await ten_incidents(mail, 10 * life + 1)
        mail.begin()
        async with mail.at_work():
            mail.telegram.always = None
            await mail.wait(900)
            before = len(mail.telegram.calls)
            await mail.wait(3600)
            assert len(mail.telegram.calls) == before, "nothing twice"
        old, *rest = mail.telegram.seen()
        assert old == "🟡 bot 0: healed", "what was told before tells the truth now"
        assert [text.split("\n")[0] for text in rest[:5]] == [f"bot {number} is down" for number in (6, 12, 18, 24, 30)]
        assert all("Delayed" in text for text in rest[:5])
        (summary,) = rest[5:]
        for number in range(1, 31):
            if number % 6:
                assert summary.count(f"bot {number} is back") == 1
        assert not any(letter.waits for letter in mail.letters())
        assert mail.delivered() == {each.id for each in mail.ledger.all(Notice)}

    async def ten_incidents(mail: Mail, first: int) -> None:
        for number in range(first, first + 10):
            tier = Tier.CRITICAL if number % 3 == 0 else Tier.SOFT
            await mail.say(f"bot {number} is down", incident=number, tier=tier)
            await mail.wait(300)
            if number % 6:
                await mail.say(f"bot {number} is back", incident=number, tier=tier, kind=NoticeKind.CLOSE)
            await mail.wait(420)

    play(film())


def test_twenty_flaps_are_three_messages_and_the_last_one_is_true() -> None:
    async def film() -> None:
        mail = Mail()
        await mail.say("🟡 bot: down", tier=Tier.SOFT)
        await mail.say("🔴 bot down again, 4 times in an hour")
        for life in range(2):
            async with mail.at_work():
                for number in range(10):
                    await mail.wait(45)
                    await mail.say(f"✅ bot is back {life}.{number}", kind=NoticeKind.CLOSE)
                    await mail.wait(45)
                    await mail.say(f"🔴 bot down again {life}.{number}", kind=NoticeKind.EDIT)
                await mail.wait(60)
            mail.begin()
        assert len(mail.telegram.messages) <= 3
        assert mail.telegram.seen()[-1] == "🔴 bot down again 1.9"

    play(film())
