"""Messages: a new one when the tier rises, an edit while it moves, one close; nothing twice after a restart (SPEC 11)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import Crew, says
from tests.fakes.prober import HANG, OK
from tests.fakes.runtime import play
from tests.watchdog.decisions.test_desk import ASKING, book
from watchdog.decisions.speaker import MOST
from watchdog.model.incident import Incident, Tier
from watchdog.model.observation import Kind
from watchdog.model.records import Notice, NoticeKind

NEW, EDIT, CLOSE = NoticeKind.NEW, NoticeKind.EDIT, NoticeKind.CLOSE


def shape(crew: Crew) -> list[tuple[NoticeKind, Tier]]:
    """Every message that was ever due, once."""
    rows = {notice.id: notice for notice in crew.ledger.all(Notice)}
    return [(row.kind, row.tier) for row in rows.values() if row.incident is not None]


def hopeless(**more: Any) -> Crew:
    """A bot that hangs and that nobody may heal: it only gets older."""
    return Crew({"bot": {"runtime": None}}, **more)


def test_one_incident_is_one_message_per_tier_and_one_close() -> None:
    async def film() -> None:
        crew = Crew(books=book(ASKING))
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.wait(1000)
            crew.prober.says["bot"] = OK
            await crew.wait(120)
            news = [each for each in shape(crew) if each[0] is NEW]
            assert news == [(NEW, Tier.SOFT), (NEW, Tier.CRITICAL)]  # the question, 15 min
            assert [each for each in shape(crew) if each[0] is CLOSE] == [(CLOSE, Tier.CRITICAL)]

    play(film())


def test_a_message_is_edited_when_something_happened_and_not_because_time_passes() -> None:
    async def film() -> None:
        crew = Crew(guards={"settle": "0s", "proof": "1h", "cooldown": "0s"})
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.wait(800)
            assert shape(crew) == [(NEW, Tier.SOFT)]
            await crew.ask("hold", service="bot", for_=60.0)
            await crew.wait(5)
            assert shape(crew) == [(NEW, Tier.SOFT), (EDIT, Tier.SOFT)]

    play(film())


def test_after_a_restart_of_the_daemon_nothing_is_said_twice() -> None:
    """I3."""

    async def film() -> None:
        crew = hopeless()
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.wait(1100)
        before = shape(crew)
        assert before[-1] == (NEW, Tier.CRITICAL)
        for _ in range(3):
            crew.next_life()
            async with crew.at_work():
                await crew.wait(120)
        assert shape(crew) == before
        crew.next_life()
        async with crew.at_work():
            crew.prober.says["bot"] = OK
            await crew.wait(120)
        assert shape(crew)[len(before) :] == [(CLOSE, Tier.CRITICAL)]

    play(film())


def test_a_question_is_asked_once_also_after_a_restart_of_the_daemon() -> None:
    async def film() -> None:
        crew = Crew(books=book(ASKING))
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.wait(150)
        crew.next_life()
        async with crew.at_work():
            await crew.wait(20)
        assert sum("may I run careful?" in text for text in crew.told()) == 1

    play(film())


def test_an_undelivered_message_of_an_earlier_life_is_delivered_by_the_next() -> None:
    async def film() -> None:
        crew = Crew(books=book(ASKING))
        crew.mail.open = False
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.wait(1000)
            assert crew.mail.got == []
        crew.next_life()
        crew.mail.open = True
        async with crew.at_work():
            await crew.wait(1)
        assert [(notice.tier, notice.id) for notice in crew.mail.got][:2] == [(Tier.CRITICAL, 2), (Tier.SOFT, 1)]

    play(film())


def test_who_waits_for_a_person_is_asked_for_once_a_day_at_nine() -> None:
    async def film() -> None:
        crew = Crew({"bot": {"runtime": None, "interval": "10m", "timeout": "30s"}})
        crew.prober.says["bot"] = says(Kind.CRITICAL, reason="invalid_grant")
        async with crew.at_work():
            await crew.until(lambda: crew.told(Tier.CRITICAL) != [])
            assert "needs you" in crew.told(Tier.CRITICAL)[0]
            await crew.wait(14 * 3600)  # a film begins at 18:40
            assert len(crew.told(Tier.CRITICAL)) == 1
            await crew.wait(1200)
            assert [text for text in crew.told(Tier.CRITICAL)[1:] if "still needs you" in text] == crew.told(Tier.CRITICAL)[1:]
            assert len(crew.told(Tier.CRITICAL)) == 2

    play(film())


def test_an_acknowledged_page_has_its_one_close_too() -> None:
    async def film() -> None:
        crew = hopeless()
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.wait(1100)
            await crew.ask("ack", id=crew.incident().id, false_alarm=True)
            crew.prober.says["bot"] = OK
            await crew.wait(120)
            assert [each for each in shape(crew) if each[0] is CLOSE] == [(CLOSE, Tier.CRITICAL)]
            assert "false alarm" in crew.told(Tier.CRITICAL)[-1]

    play(film())


def test_a_blip_is_told_to_nobody_and_a_quick_cure_only_to_the_log() -> None:
    async def film() -> None:
        crew = Crew({"blips": {}, "hangs": {}})
        async with crew.at_work():
            crew.prober.says["blips"] = crew.prober.says["hangs"] = HANG
            await crew.wait(59)
            crew.prober.says["blips"] = OK
            await crew.until(lambda: crew.touched("hangs"))
            crew.prober.says["hangs"] = OK
            await crew.wait(120)
            assert [row for row in crew.ledger.all(Incident) if row.service == "blips"][-1].blip
            assert [(notice.service, notice.tier) for notice in crew.mail.got] == [("hangs", Tier.SILENT)]

    play(film())


@pytest.mark.parametrize("dirt", ["\x1b[31mred\x1b[0m\nforged: line\r\x00" + "x" * 100_000])
def test_f22_a_dirty_error_of_100_kb_is_one_clean_line_in_message_and_status(dirt: str) -> None:
    async def film() -> None:
        crew = hopeless()
        async with crew.at_work():
            crew.prober.says["bot"] = says(Kind.CRITICAL, dirt, reason=dirt)
            await crew.wait(1200)
            assert crew.told(Tier.CRITICAL)
            for text in crew.told():
                assert "\x1b" not in text
                assert "\x00" not in text
                assert len(text) < 4000
                assert not any(line.startswith("forged:") for line in text.splitlines())

    play(film())


def test_a_crowd_is_told_a_hundred_in_one_look_and_the_rest_in_the_next() -> None:
    """Two thousand pages in one look once stopped the loop for seconds."""

    async def film() -> None:
        names = [f"bot-{number}" for number in range(MOST + 20)]
        crew = Crew({name: {"runtime": None} for name in names})
        for name in names:
            crew.observe(Kind.NO_ANSWER, 4, name, detail="timeout")
        await crew.clock.sleep(600)
        now = crew.clock.now()

        def pages() -> int:
            return sum(1 for each in crew.ledger.waiting if isinstance(each, Notice) and each.tier is Tier.CRITICAL)

        crew.app.speaker.speak(now)
        assert pages() == MOST
        assert crew.app.fleet.stir.take(), "the loop looks again at once"
        crew.app.speaker.speak(now)
        assert pages() == len(names)

    play(film())
