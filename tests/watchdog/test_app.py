"""The composition root: one wiring for daemon and simulator, and what it tells about itself."""

from __future__ import annotations

import asyncio

import pytest

from tests.builders import PID, Crew
from tests.fakes.prober import HANG
from tests.fakes.runtime import play
from watchdog.model.incident import Tier
from watchdog.model.records import Meta


def test_what_it_is_stands_in_the_store() -> None:
    async def film() -> None:
        crew = Crew(mode="observe")
        async with crew.at_work():
            await crew.wait(1)
            meta = {row.key: row.value for row in crew.ledger.disk if isinstance(row, Meta)}
            assert meta["boot_id"] == "b00t"
            assert meta["pid"] == str(PID)
            assert meta["mode"] == "observe"
            assert float(meta["started_at"]) == pytest.approx(crew.clock.now() - 1, abs=1)

    play(film())


def test_it_lives_until_it_is_cancelled_and_leaves_nothing_running() -> None:
    async def film() -> None:
        crew = Crew({f"bot-{n}": {} for n in range(20)})
        crew.prober.says = dict.fromkeys(crew.services, HANG)
        async with crew.at_work():
            await crew.wait(500)
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        assert left == []

    play(film())


def test_a_word_about_the_watchdog_itself_is_critical_and_belongs_to_no_incident() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work() as app:
            app.alarm("🔴 The watchdog lost its memory")
            await crew.wait(1)
            (notice,) = crew.mail.got
            assert (notice.tier, notice.incident, notice.text) == (Tier.CRITICAL, None, "🔴 The watchdog lost its memory")
            assert app.last_page_at == notice.at

    play(film())


def test_two_plays_of_one_film_do_the_same() -> None:
    async def film() -> tuple[list[str], list[str]]:
        crew = Crew({"a": {}, "b": {"depends_on": ["a"]}})
        async with crew.at_work():
            await crew.wait(10)
            crew.prober.says = {"a": HANG, "b": HANG}
            await crew.wait(900)
        return [repr(row) for row in crew.ledger.disk], crew.told()

    assert play(film()) == play(film())
