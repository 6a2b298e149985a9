"""The daemon sends its digest: the whole core in virtual time, over one life and more."""

from __future__ import annotations

import json
from datetime import datetime
from zoneinfo import ZoneInfo

from tests.builders import Crew
from tests.fakes.runtime import EPOCH, play
from watchdog.model.incident import Tier
from watchdog.model.observation import Kind
from watchdog.model.records import Meta, Notice, NoticeKind
from watchdog.scheduler.loop import KEYS

ZONE = ZoneInfo("Asia/Tashkent")
HOUR = 3600.0
DUE = datetime(2026, 3, 2, 8, 30, tzinfo=ZONE).timestamp()
UNTIL_DUE = DUE - EPOCH
"""Seconds from the start of a film, late in the evening, to half past eight."""


def crew(**more: object) -> Crew:
    return Crew({"bot": {"title": "eZee Scraper"}}, timezone="Asia/Tashkent", **more)


def reports(crew: Crew) -> list[Notice]:
    return [notice for notice in crew.mail.got if notice.kind is NoticeKind.REPORT]


def test_the_digest_is_a_message_of_its_own_muted_and_written_with_its_key() -> None:
    async def film() -> None:
        daemon = crew()
        async with daemon.at_work():
            await daemon.wait(UNTIL_DUE - 60)
            assert reports(daemon) == []
            await daemon.wait(120)
        (digest,) = reports(daemon)
        assert (digest.tier, digest.service, digest.incident) == (Tier.SOFT, "digest", None)
        assert digest.text.startswith("☀ ")
        assert "1 of 1 ok · a quiet day" in digest.text
        keys = json.loads(daemon.ledger.load(0.0).meta[KEYS])
        assert list(keys)[-1] == "digest:2026-03-02"

    play(film())


def test_what_was_healed_is_told_by_service_with_time_cause_action_and_duration() -> None:
    async def film() -> None:
        daemon = crew()
        async with daemon.at_work():
            await daemon.wait(HOUR)
            daemon.runtimes["bot"].die()
            await daemon.wait(UNTIL_DUE)
        (digest,) = reports(daemon)
        assert "1 healed, 0 nights broken" in digest.text
        assert "eZee Scraper: down, started, " in digest.text

    play(film())


def test_down_over_its_hour_it_comes_late_once_says_so_and_that_nobody_watched() -> None:
    async def film() -> None:
        daemon = crew()
        async with daemon.at_work():
            await daemon.wait(HOUR)
        await daemon.wait(UNTIL_DUE + 2 * HOUR)
        daemon.next_life()
        async with daemon.at_work():
            await daemon.wait(3 * HOUR)
        daemon.next_life()
        async with daemon.at_work():
            await daemon.wait(HOUR)
        (digest,) = reports(daemon)
        head, since, unwatched = digest.text.splitlines()
        assert head == "☀ Mon 2 Mar · late, was due 08:30 · 1 of 1 ok · quiet since then. No recovery in two weeks."
        assert since == "Since the last one: Sun 1 Mar 08:30"
        assert unwatched == "Not watched for 10 h 51 min (00:39 to 11:30): the watchdog itself did not run"

    play(film())


def test_a_history_that_cannot_be_read_now_gives_its_digest_when_it_can() -> None:
    async def film() -> None:
        daemon = crew()
        async with daemon.at_work():
            daemon.ledger.unread = OSError("Input/output error")
            await daemon.wait(UNTIL_DUE + HOUR)
            assert reports(daemon) == []
            daemon.observe(Kind.OK)
            daemon.ledger.unread = None
            await daemon.wait(120)
            assert len(reports(daemon)) == 1
        assert "late, was due 08:30" in reports(daemon)[0].text

    play(film())


def test_a_file_begun_anew_under_the_daemon_does_not_bring_the_digest_again() -> None:
    async def film() -> None:
        daemon = crew()
        async with daemon.at_work():
            await daemon.wait(UNTIL_DUE + HOUR)
            daemon.ledger.lose("it was removed")
            daemon.observe(Kind.OK)
            await daemon.wait(120)
        assert any(row.key == KEYS for row in daemon.ledger.all(Meta))
        daemon.next_life()
        async with daemon.at_work():
            await daemon.wait(HOUR)
        assert len(reports(daemon)) == 1

    play(film())


def test_a_reload_moves_the_hour() -> None:
    async def film() -> None:
        daemon = crew()
        async with daemon.at_work() as app:
            await daemon.wait(HOUR)
            settings = Crew({"bot": {"title": "eZee Scraper"}}, timezone="Asia/Tashkent", reports={"digest": "06:00"}).settings
            await app.reload(settings, daemon.books)
            await daemon.wait(UNTIL_DUE - 2 * HOUR)
            assert len(reports(daemon)) == 1
            await daemon.wait(4 * HOUR)
            assert len(reports(daemon)) == 1

    play(film())


def test_what_happened_after_the_clock_was_set_back_is_in_the_next_digest() -> None:
    async def film() -> None:
        daemon = crew()
        async with daemon.at_work():
            await daemon.wait(UNTIL_DUE + 60)
            assert len(reports(daemon)) == 1
            daemon.clock.step -= 3 * HOUR
            await daemon.wait(HOUR)
            daemon.runtimes["bot"].die()
            await daemon.wait(26 * HOUR)
        assert [("1 healed" in each.text) for each in reports(daemon)] == [False, True]

    play(film())
