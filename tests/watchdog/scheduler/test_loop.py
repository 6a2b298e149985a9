"""Films of the scheduler: one task a minute, row and key in one transaction, no failure that stops or starves it."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, time
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.fakes.ledger import Ledger
from tests.fakes.runtime import FakeClock, Killed, play
from watchdog.decisions.ports import Record
from watchdog.model.incident import Tier
from watchdog.model.records import Meta, Notice, NoticeKind
from watchdog.scheduler.loop import FIRST, KEYS, LONGEST, Builder, Occasion, Scheduler
from watchdog.scheduler.periods import Kind, Rule
from watchdog.state.store.open import NAME

ZONE = ZoneInfo("Asia/Tashkent")
RULES = (Rule(Kind.WEEKLY, time(9)), Rule(Kind.MONTHLY, time(9), 1), Rule(Kind.DIGEST, time(8, 30)), Rule(Kind.ANOMALY, time(20)))
DIGEST = (RULES[2],)


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZONE).timestamp()


EVENING = at("2026-06-01T20:00")
"""Monday the 1st: all four are due."""


class Press:
    """The builders. fails: how often which report still fails. tried: every try. covered: since when each digest was made.

    meanwhile: what happens to the world while a report is made. hangs: the report that never ends.
    """

    def __init__(self, **fails: int) -> None:
        self.fails = dict(fails)
        self.tried: list[str] = []
        self.covered: list[float | None] = []
        self.hangs = ""
        self.meanwhile: Callable[[], None] = lambda: None

    def builder(self, kind: Kind) -> Builder:
        async def build(occasion: Occasion) -> str | None:
            self.tried.append(kind.value)
            self.meanwhile()
            if kind is Kind.DIGEST:
                self.covered.append(occasion.since)
            if self.hangs == kind:
                await asyncio.sleep(1e6)
            if self.fails.get(kind.value, 0) > 0:
                self.fails[kind.value] -= 1
                raise OSError(f"{kind} cannot be made")
            return None if kind is Kind.ANOMALY else f"{kind} text"

        return build


class Desk:
    """One life after another of a scheduler over one ledger."""

    def __init__(self, press: Press | None = None, rules: tuple[Rule, ...] = RULES, ledger: Ledger | None = None) -> None:
        self.press, self.rules, self.ledger = press or Press(), rules, ledger or Ledger()
        self.complaints: list[str] = []
        self.life = self.scheduler()

    def scheduler(self) -> Scheduler:
        builders = {kind: self.press.builder(kind) for kind in Kind}
        return Scheduler(builders, lambda: self.rules, lambda: ZONE, self.ledger, self.say, self.complain, FakeClock())

    def say(self, name: str, text: str, now: float) -> None:
        number = self.ledger.load(now).next_notice + sum(1 for each in self.ledger.waiting if isinstance(each, Notice))
        self.ledger.put(Notice(number, None, name, Tier.SOFT, NoticeKind.REPORT, now, text))

    def complain(self, text: str, _now: float) -> None:
        self.complaints.append(text)

    def begin(self, now: float) -> Desk:
        """A life begins at `now` with what is on disk."""
        self.ledger.waiting.clear()
        self.life = self.scheduler()
        self.life.remember(self.ledger.load(now).meta.get(KEYS), now)
        return self

    async def minutes(self, start: float, count: int) -> None:
        for minute in range(count):
            await self.life.tick(start + 60 * minute)

    def sent(self) -> list[str]:
        """The reports on disk, in their order."""
        return [notice.service for notice in self.ledger.load(0.0).notices]

    def known(self) -> list[str]:
        return list(json.loads(self.ledger.load(0.0).meta[KEYS]))


def test_all_four_are_taken_one_a_minute_in_their_order() -> None:
    async def film() -> None:
        desk = Desk().begin(at("2026-05-31T21:00"))
        await desk.minutes(EVENING, 2)
        assert desk.sent() == ["weekly", "monthly"]
        await desk.minutes(EVENING + 120, 10)
        assert desk.press.tried == ["weekly", "monthly", "digest", "anomaly"]
        assert desk.sent() == ["weekly", "monthly", "digest"], "no anomaly, no message"
        assert desk.known()[-4:] == ["weekly:2026-W22", "monthly:2026-05", "digest:2026-06-01", "anomaly:2026-06-01"]

    play(film())


def test_what_fails_is_tried_again_and_starves_nobody() -> None:
    async def film() -> None:
        desk = Desk(Press(weekly=2, monthly=10**6)).begin(at("2026-05-31T21:00"))
        await desk.minutes(EVENING, 9)
        tried = desk.press.tried
        assert tried == ["weekly", "monthly", "digest", "anomaly", "weekly", "monthly", "weekly", "monthly", "monthly"]
        assert desk.sent() == ["digest", "weekly"]
        assert "monthly:2026-05" not in desk.known()
        assert desk.life.failed == {"monthly:2026-05": 4}
        await desk.minutes(at("2026-06-02T08:30"), 2)
        assert desk.sent() == ["digest", "weekly", "digest"]
        assert not desk.life.failed, "its day is over"

    play(film())


def test_a_report_that_cannot_be_made_is_told_once_and_tried_for_ever() -> None:
    async def film() -> None:
        desk = Desk(Press(digest=30), DIGEST).begin(at("2026-08-12T12:00"))
        await desk.minutes(at("2026-08-13T08:30"), 9)
        assert desk.complaints == []
        await desk.minutes(at("2026-08-13T08:39"), 30)
        assert desk.complaints == ["🟡 The digest cannot be made: digest cannot be made. It is tried again each minute."]
        assert desk.sent() == ["digest"]

    play(film())


def test_a_report_that_hangs_lets_the_others_go_by() -> None:
    async def film() -> None:
        desk = Desk().begin(at("2026-05-31T21:00"))
        desk.press.hangs = "weekly"
        before = asyncio.get_running_loop().time()
        await desk.minutes(EVENING, 4)
        assert desk.sent() == ["monthly", "digest"]
        assert asyncio.get_running_loop().time() - before == LONGEST

    play(film())


def test_a_new_store_starts_with_past_keys_set_and_says_so_on_disk() -> None:
    async def film() -> None:
        desk = Desk().begin(EVENING)
        await desk.minutes(EVENING, 5)
        await desk.ledger.commit()
        assert desk.press.tried == []
        assert "digest:2026-06-01" in desk.known()
        await desk.minutes(at("2026-06-02T08:30"), 1)
        assert desk.sent() == ["digest"]
        assert desk.press.covered == [at("2026-06-01T08:30")], "from the hour before which nothing was written"

    play(film())


def test_a_digest_covers_what_was_since_the_one_before_however_long_that_is() -> None:
    async def film() -> None:
        desk = Desk(rules=DIGEST).begin(at("2026-08-12T12:00"))
        await desk.minutes(at("2026-08-13T08:30"), 2)
        desk.begin(at("2026-08-16T11:59"))
        await desk.minutes(at("2026-08-16T12:00"), 5)
        assert desk.sent() == ["digest", "digest"], "three days down: once"
        assert desk.press.covered == [at("2026-08-12T08:30"), at("2026-08-13T08:30")]
        await desk.minutes(at("2026-08-17T08:30"), 2)
        assert desk.press.covered[-1] == at("2026-08-16T12:00")

    play(film())


def test_a_store_that_cannot_be_written_takes_no_report_and_gets_it_when_it_can() -> None:
    async def film() -> None:
        desk = Desk(rules=DIGEST).begin(at("2026-08-12T12:00"))
        await desk.ledger.commit()
        desk.ledger.away = "disk full"
        await desk.minutes(at("2026-08-13T08:30"), 30)
        assert (desk.sent(), desk.press.tried, desk.complaints) == ([], [], [])
        desk.ledger.away = ""
        await desk.minutes(at("2026-08-13T09:00"), 3)
        assert (desk.sent(), desk.press.tried) == (["digest"], ["digest"])

    play(film())


def test_a_store_that_breaks_behind_the_report_gets_it_once_when_it_can() -> None:
    async def film() -> None:
        desk = Desk(rules=DIGEST).begin(at("2026-08-12T12:00"))
        await desk.ledger.commit()
        desk.press.meanwhile = lambda: setattr(desk.ledger, "away", "disk full")
        await desk.minutes(at("2026-08-13T08:30"), 5)
        assert (desk.sent(), desk.press.tried) == ([], ["digest"])
        desk.ledger.away = ""
        await desk.ledger.commit()
        assert (desk.sent(), desk.known()[-1]) == (["digest"], "digest:2026-08-13")

    play(film())


def test_keys_that_cannot_be_read_are_those_of_a_new_store() -> None:
    async def film() -> None:
        desk = Desk(rules=DIGEST).begin(at("2026-08-12T12:00"))
        desk.ledger.put(Meta(KEYS, "{broken"))
        await desk.ledger.commit()
        desk.begin(at("2026-08-13T12:00"))
        await desk.minutes(at("2026-08-13T12:00"), 2)
        await desk.minutes(at("2026-08-14T08:30"), 2)
        assert desk.sent() == ["digest"]

    play(film())


def test_a_clock_that_is_set_before_the_keys_are_remembered_costs_none_of_them() -> None:
    async def film() -> None:
        desk = Desk(rules=DIGEST).begin(at("2026-08-12T12:00"))
        await desk.minutes(at("2026-08-13T08:30"), 1)
        early = desk.scheduler()
        early.stepped(-3600.0)
        await desk.ledger.commit()
        desk.begin(at("2026-08-13T09:00"))
        await desk.minutes(at("2026-08-13T09:00"), 3)
        assert desk.sent() == ["digest"]

    play(film())


def test_a_clock_set_back_leaves_no_hole_between_two_digests() -> None:
    async def film() -> None:
        desk = Desk(rules=DIGEST).begin(at("2026-08-12T12:00"))
        await desk.minutes(at("2026-08-13T08:30"), 1)
        desk.life.stepped(-3 * 3600.0)
        await desk.minutes(at("2026-08-13T05:31"), 300)
        assert desk.sent() == ["digest"]
        await desk.minutes(at("2026-08-14T08:30"), 1)
        assert desk.press.covered[-1] == at("2026-08-13T05:30")

    play(film())


def test_it_looks_on_the_minutes_of_the_clock_and_not_at_once() -> None:
    async def film() -> None:
        clock = FakeClock()
        looks: list[float] = []

        def rules() -> tuple[Rule, ...]:
            looks.append(clock.now())
            return ()

        ledger = Ledger()
        await clock.sleep(7)
        started = clock.now()
        scheduler = Scheduler({}, rules, lambda: ZONE, ledger, lambda *_: None, lambda *_: None, clock)
        task = asyncio.create_task(scheduler.run())
        await clock.sleep(200)
        task.cancel()
        assert [look % 60 for look in looks] == [0.0, 0.0, 0.0]
        assert looks[0] - started >= FIRST

    play(film())


class Mortal(Ledger):
    """A ledger under which the daemon is killed -9: at its `deadly`th put, or before or after its `deadly`th commit."""

    def __init__(self) -> None:
        super().__init__()
        self.moment, self.deadly = "", 0

    def _at(self, moment: str) -> None:
        if moment == self.moment:
            self.deadly -= 1
            if self.deadly == 0:
                raise Killed

    def put(self, record: Record) -> None:
        self._at("put")
        super().put(record)

    async def commit(self) -> None:
        self._at("before commit")
        await super().commit()
        self._at("after commit")


@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("moment", ["put", "before commit", "after commit"])
def test_f46_a_kill_between_report_row_and_key_neither_repeats_nor_loses_it(moment: str, number: int) -> None:
    async def film() -> None:
        ledger = Mortal()
        desk = Desk(rules=DIGEST, ledger=ledger).begin(at("2026-08-12T12:00"))
        await ledger.commit()
        ledger.moment, ledger.deadly = moment, number
        start = at("2026-08-13T08:30")
        try:
            await desk.minutes(start, 2)
        except Killed:
            pass
        ledger.moment = ""
        assert (desk.sent() == ["digest"]) == ("digest:2026-08-13" in desk.known()), "both or neither"
        for life in range(3):
            desk.begin(start + 300 * life)
            await desk.minutes(start + 300 * life, 3)
        assert desk.sent() == ["digest"]

    play(film())


CHILD = (sys.executable, "-m", "tests.fakes.report_child")
MOST = 200


@pytest.mark.sweep
@pytest.mark.timeout(600)
@pytest.mark.parametrize("call", ["pwrite64", "fdatasync"])
def test_f46_killed_at_every_write_row_and_key_are_on_disk_together_and_in_the_end_once(tmp_path: Path, call: str) -> None:
    if shutil.which("strace") is None:
        pytest.skip("strace is not there")
    due = 1_786_609_800.0  # 2026-08-13 08:30 UTC
    assert subprocess.run((*CHILD, tmp_path / "model", str(due - 3600)), check=False).returncode == 0
    for number in range(1, MOST):
        folder = tmp_path / f"at-{number}"
        shutil.copytree(tmp_path / "model", folder)
        trace = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}")
        kill = ("-e", f"inject={call}:signal=KILL:when={number}")
        code = subprocess.run((*trace, *kill, *CHILD, folder, str(due)), check=False, stderr=subprocess.DEVNULL).returncode
        assert code in (0, -signal.SIGKILL, 128 + signal.SIGKILL)
        rows, keys = on_disk(folder)
        assert rows == (["digest digest:2026-08-13"] if "digest:2026-08-13" in keys else [])
        assert subprocess.run((*CHILD, folder, str(due + 300)), check=False).returncode == 0
        assert on_disk(folder)[0] == ["digest digest:2026-08-13"]
        if code == 0:
            break
    else:
        pytest.fail("the sweep never came to its end")
    assert number > {"pwrite64": 4, "fdatasync": 1}[call]


def on_disk(folder: Path) -> tuple[list[str], list[str]]:
    """The texts of the reports, and the keys."""
    with closing(sqlite3.connect(folder / NAME)) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows = [row[0] for row in conn.execute("SELECT text FROM notices ORDER BY id")]
        keys = conn.execute("SELECT value FROM meta WHERE key = ?", (KEYS,)).fetchone()
    return rows, list(json.loads(keys[0]))
