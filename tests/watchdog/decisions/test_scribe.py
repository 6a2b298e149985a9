"""Whatever is put is written; while it cannot be, that is told once and tried again (F05)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.builders import Crew
from tests.fakes.records import notice
from tests.fakes.runtime import play
from watchdog.decisions.scribe import SAME_TROUBLE, Scribe
from watchdog.errors import StoreUnavailable
from watchdog.model.incident import Tier
from watchdog.model.records import Meta, Notice


class Writing:
    """A scribe in front of a ledger, and what it told."""

    def __init__(self) -> None:
        self.crew = Crew()
        self.fleet, self.ledger = self.crew.app.fleet, self.crew.ledger
        self.ledger.crash()
        self.notices: list[Notice] = []
        self.told: list[str] = []
        self.scribe = Scribe(self.ledger, self.fleet, self.crew.clock, self.notices.append)
        self.scribe.on_trouble = lambda text: self.told.append(f"trouble: {text}")
        self.scribe.on_lost = lambda text: self.told.append(f"lost: {text}")

    @asynccontextmanager
    async def keeping(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.scribe.keep())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def test_what_comes_in_one_breath_is_one_transaction() -> None:
    async def film() -> None:
        all_of_it = Writing()
        async with all_of_it.keeping():
            for number in range(100):
                all_of_it.scribe.put(Meta(f"k{number}", "v"))
            await all_of_it.crew.wait(0.0)
            assert (len(all_of_it.ledger.all(Meta)), all_of_it.ledger.waiting, all_of_it.ledger.commits) == (100, [], 1)
            await all_of_it.crew.wait(60.0)
            assert all_of_it.ledger.commits == 1

    play(film())


def test_a_store_that_cannot_be_written_is_told_once_stops_runs_and_takes_everything_when_it_is_back() -> None:
    async def film() -> None:
        it = Writing()
        it.ledger.away = "disk I/O error"
        async with it.keeping():
            it.scribe.put(Meta("first", "1"))
            await it.crew.wait(10.5)
            assert it.told == ["trouble: disk I/O error"]
            assert it.fleet.store_trouble == "disk I/O error"
            assert 10 <= it.ledger.commits <= 12
            it.scribe.put(Meta("second", "2"))
            it.ledger.away = ""
            await it.crew.wait(1.0)
            assert it.fleet.store_trouble == ""
            assert [row.key for row in it.ledger.disk if isinstance(row, Meta)] == ["first", "second"]
            it.ledger.away = "disk full"
            it.scribe.put(Meta("third", "3"))
            await it.crew.wait(3.0)
            assert it.told == ["trouble: disk I/O error"], "a write that fits now and then does not make it another trouble"
            it.ledger.away = ""
            await it.crew.wait(SAME_TROUBLE + 10)
            it.ledger.away = "disk full"
            it.scribe.put(Meta("fourth", "4"))
            await it.crew.wait(3.0)
            assert it.told == ["trouble: disk I/O error", "trouble: disk full"]

    play(film())


def test_whoever_needs_it_durable_hears_that_it_is_not() -> None:
    async def film() -> None:
        it = Writing()
        it.ledger.away = "disk full"
        it.scribe.put(Meta("a", "1"))
        with pytest.raises(StoreUnavailable, match="disk full"):
            await it.scribe.commit()

    play(film())


def test_a_file_that_was_begun_anew_is_told_once() -> None:
    async def film() -> None:
        it = Writing()
        it.scribe.put(Meta("a", "1"))
        await it.scribe.commit()
        it.ledger.lose("malformed")
        for _ in range(3):
            it.scribe.put(Meta("b", "2"))
            await it.scribe.commit()
        assert it.told == ["lost: malformed"]
        assert it.scribe.lost == "malformed"

    play(film())


def test_only_a_message_that_is_due_goes_to_the_post() -> None:
    async def film() -> None:
        it = Writing()
        it.scribe.put(notice(1))
        it.scribe.put(Notice(2, 1, "bot", Tier.SOFT, notice().kind, 1.0, "sent already", 2.0))
        assert [each.id for each in it.notices] == [1]

    play(film())


def test_checks_and_alerts_go_on_without_a_store_and_nothing_is_healed_until_it_is_back() -> None:
    """F05: one critical alert, also while nothing can be written."""

    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            await crew.wait(5)
            crew.ledger.away = "disk I/O error"
            crew.prober.says["bot"] = "refuse"
            await crew.wait(400)
            assert crew.deeds() == []
            assert "the store cannot be written (disk I/O error)" in crew.incident().reason
            (page,) = crew.told(Tier.CRITICAL)
            assert page.endswith("The store cannot be written: disk I/O error. Checks and alerts go on; nothing is healed.")
            crew.ledger.away = ""
            await crew.wait(60)
            assert crew.deeds() == ["stop i1", "start"]

    play(film())


def test_what_is_open_is_written_into_a_file_that_was_begun_anew() -> None:
    async def film() -> None:
        crew = Crew({"bot": {}, "idle": {}})
        async with crew.at_work():
            await crew.ask("hold", service="idle", for_=3600.0)
            crew.prober.says["bot"] = "refuse"
            await crew.wait(70)
            crew.ledger.lose("database disk image is malformed")
            await crew.wait(30)
            kinds = {type(row).__name__ for row in crew.ledger.disk}
            assert {"Incident", "Hold", "Segment", "Memory", "Meta", "Notice"} <= kinds
            assert any("lost while it ran: database disk image is malformed" in text for text in crew.told(Tier.CRITICAL))

    play(film())
