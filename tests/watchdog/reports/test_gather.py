"""What a report takes from the store: a day of the past as it was then, not as it is now."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from tests.fakes.ledger import Ledger
from watchdog.decisions.ports import Record
from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.records import Entry, Hold, Notice, NoticeKind, Segment
from watchdog.model.service import State
from watchdog.reports.digest import Digest, digest
from watchdog.reports.gather import as_of, gather

HOUR, DAY = 3600.0, 86400.0
NOW = datetime(2026, 8, 16, 8, 30, tzinfo=UTC).timestamp()
THEN = NOW - 3 * DAY
TITLES = {"scraper": "eZee Scraper", "api": "Price API"}
OPEN = Incident(
    7, "scraper", Stage.PARKED, THEN - HOUR, reason="3 restarts in 1 h", symptom="unresponsive", confirmed_at=THEN - HOUR + 90,
    tier=Tier.CRITICAL, clock_at=THEN - HOUR,
)  # fmt: skip


def line(at: float, kind: str, text: str, incident: int = 7) -> Entry:
    return Entry(incident, "scraper", at, kind, text)


LIFE = (
    line(THEN - HOUR, "opened", "timeout"),
    line(THEN - HOUR + 90, "confirmed", "4 timeouts"),
    line(THEN - HOUR + 95, "healing", "restart-unresponsive"),
    line(THEN - HOUR + 180, "tier", "soft: open for 3 min"),
    line(THEN + HOUR, "parked", "3 restarts in 1 h"),
    line(THEN + HOUR, "tier", "critical: parked: the budget is spent"),
)


async def made(until: float, *records: Record) -> Digest:
    ledger = Ledger()
    for record in records:
        ledger.put(record)
    await ledger.commit()
    period = (until - DAY, until)
    return digest(await ledger.archive(lambda reader: gather(reader, TITLES, (), period, UTC)), period, UTC)


async def test_what_was_parked_later_was_not_parked_then() -> None:
    then = await made(THEN, OPEN, *LIFE)
    assert (then.parked, then.paged) == ((), ())
    assert (await made(THEN + 2 * HOUR, OPEN, *LIFE)).parked == ("eZee Scraper",)
    assert (await made(NOW, OPEN, *LIFE)).parked == ("eZee Scraper",)


async def test_what_is_closed_now_was_open_then() -> None:
    closed = replace(OPEN, stage=Stage.CLOSED, closed_at=THEN + 2 * HOUR, outcome=Outcome.HEALED, reason="healed by restart")
    rows = (closed, *LIFE, line(THEN + 2 * HOUR, "closed", "healed by restart"))
    then = await made(THEN + 1.5 * HOUR, *rows)
    assert (then.parked, then.healed, then.last_recovery) == (("eZee Scraper",), (), None)
    assert [each.open for each in then.paged] == [True]
    after = await made(THEN + 3 * HOUR, *rows)
    assert (after.parked, [each.incident for each in after.healed]) == ((), [7])


async def test_a_hold_of_today_is_none_of_the_past_and_one_of_then_is_told() -> None:
    today = Hold("scraper", NOW - HOUR, NOW + HOUR, "anna")
    old = Hold("api", THEN - HOUR, THEN + HOUR, "anna", ended_at=THEN + HOUR)
    assert (await made(THEN, today, old)).held == ("Price API",)
    assert (await made(NOW, today, old)).held == ("eZee Scraper",)


async def test_the_state_of_then_counts() -> None:
    rows = (Segment("scraper", State.OK, THEN - DAY, THEN + HOUR), Segment("scraper", State.DOWN, THEN + HOUR))
    page = Notice(1, 7, "scraper", Tier.CRITICAL, NoticeKind.NEW, THEN + HOUR, "x")
    assert [(each.well, each.nights_broken) for each in (await made(THEN, *rows, page), await made(NOW, *rows, page))] == [
        (1, 0),
        (0, 0),
    ]


def test_what_waited_for_a_person_then_waits_in_its_own_words() -> None:
    waits = (*LIFE[:2], line(THEN - 60, "waiting_for_person", "QR needed"))
    now = replace(OPEN, reason="something else")
    then = as_of(now, waits, THEN)
    assert (then.stage, then.reason, then.outcome, then.closed_at) == (Stage.PERSON, "QR needed", Outcome.ESCALATED, None)


def test_a_relapse_of_later_was_a_recovery_then() -> None:
    again = replace(OPEN, relapses=1, reopened_at=THEN + HOUR, bad_before=300.0, confirmed_at=THEN + HOUR)
    life = (*LIFE[:3], line(THEN - 600, "closed", "healed by restart-unresponsive"), line(THEN + HOUR, "relapsed", "4 timeouts"))
    then = as_of(again, life, THEN)
    assert (then.stage, then.outcome, then.closed_at) == (Stage.CLOSED, Outcome.HEALED, THEN - 600)
    assert (then.relapses, then.blip, then.duration(THEN)) == (0, False, HOUR - 600)
    assert as_of(again, life, THEN + 2 * HOUR).stage is Stage.CONFIRMED
    alone = (*LIFE[:2], line(THEN - 600, "closed", "healthy again"))
    assert as_of(again, alone, THEN).outcome is Outcome.SELF_RECOVERED


def test_without_a_timeline_it_was_open() -> None:
    then = as_of(OPEN, (), THEN)
    assert (then.stage, then.tier) == (Stage.OPEN, Tier.SILENT)
