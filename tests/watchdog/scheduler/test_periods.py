"""The table of SPEC 12: which report is due when, in local time, over every change of the clocks."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from watchdog.scheduler.periods import (
    KEPT,
    Due,
    Kind,
    Rule,
    due,
    dump,
    key,
    past,
    restore,
    settled,
    since,
    stepped,
    turn,
)

TASHKENT, BERLIN, YORK = ZoneInfo("Asia/Tashkent"), ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
WEEKLY, MONTHLY = Rule(Kind.WEEKLY, time(9), 0), Rule(Kind.MONTHLY, time(9), 1)
DIGEST, ANOMALY = Rule(Kind.DIGEST, time(8, 30)), Rule(Kind.ANOMALY, time(20))
ALL = (ANOMALY, DIGEST, MONTHLY, WEEKLY)


def at(text: str, zone: ZoneInfo = TASHKENT) -> float:
    """Wall seconds of a local moment; of a doubled hour the first."""
    return datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()


def keys(now: float, done: dict[str, float] | None = None, zone: ZoneInfo = TASHKENT) -> list[str]:
    return [each.key for each in due(ALL, now, zone, done or {})]


@pytest.mark.parametrize(
    ("kind", "day", "name"),
    [
        (Kind.WEEKLY, "2026-08-17", "weekly:2026-W33"),
        (Kind.WEEKLY, "2027-01-04", "weekly:2026-W53"),
        (Kind.WEEKLY, "2026-01-05", "weekly:2026-W01"),
        (Kind.WEEKLY, "2025-12-29", "weekly:2025-W52"),
        (Kind.WEEKLY, "2026-08-23", "weekly:2026-W33"),  # on a Sunday its own week is not full yet
        (Kind.MONTHLY, "2026-08-01", "monthly:2026-07"),
        (Kind.MONTHLY, "2027-01-01", "monthly:2026-12"),
        (Kind.MONTHLY, "2026-03-01", "monthly:2026-02"),
        (Kind.DIGEST, "2026-08-16", "digest:2026-08-16"),
        (Kind.ANOMALY, "2026-08-16", "anomaly:2026-08-16"),
    ],
)
def test_a_report_is_named_by_its_period(kind: Kind, day: str, name: str) -> None:
    assert key(kind, date.fromisoformat(day)) == name


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        # Sunday: yesterday's digest is missed until today's is due.
        ("2026-08-16T08:29:59", ["digest:2026-08-15"]),
        ("2026-08-16T08:30:00", ["digest:2026-08-16"]),
        ("2026-08-16T20:00:00", ["digest:2026-08-16", "anomaly:2026-08-16"]),
        ("2026-08-16T23:59:59", ["digest:2026-08-16", "anomaly:2026-08-16"]),
        # Monday: the anomalies of Sunday are Sunday's alone, its digest is sent late.
        ("2026-08-17T00:00:00", ["digest:2026-08-16"]),
        ("2026-08-17T08:59:59", ["digest:2026-08-17"]),
        ("2026-08-17T09:00:00", ["weekly:2026-W33", "digest:2026-08-17"]),
        ("2026-08-17T23:59:59", ["weekly:2026-W33", "digest:2026-08-17", "anomaly:2026-08-17"]),
        # Tuesday: a Monday missed whole is skipped.
        ("2026-08-18T00:00:00", ["digest:2026-08-17"]),
        ("2026-08-18T12:00:00", ["digest:2026-08-18"]),
        # The 1st, and the day after.
        ("2026-08-01T09:00:00", ["monthly:2026-07", "digest:2026-08-01"]),
        ("2026-08-02T09:00:00", ["digest:2026-08-02"]),
        # Monday the 1st: all four.
        ("2026-06-01T20:00:00", ["weekly:2026-W22", "monthly:2026-05", "digest:2026-06-01", "anomaly:2026-06-01"]),
        ("2027-01-04T09:00:00", ["weekly:2026-W53", "digest:2027-01-04"]),
    ],
)
def test_a_report_is_due_when_its_hour_is_reached_or_passed(now: str, expected: list[str]) -> None:
    assert keys(at(now)) == expected


def test_what_is_done_is_not_due() -> None:
    now = at("2026-06-01T20:00")
    assert keys(now, {"weekly:2026-W22": 0.0, "digest:2026-06-01": 0.0}) == ["monthly:2026-05", "anomaly:2026-06-01"]


def test_what_failed_goes_to_the_end_and_what_failed_last_behind_it() -> None:
    four = due(ALL, at("2026-06-01T20:00"), TASHKENT, {})
    names = [each.key for each in four]

    def next_one(*failed: int) -> int:
        chosen = turn(four, [names[n] for n in failed])
        assert chosen is not None
        return names.index(chosen.key)

    assert next_one() == 0
    assert next_one(0) == 1
    assert next_one(0, 1) == 2
    assert next_one(1, 0) == 2
    assert next_one(0, 1, 2, 3) == 0
    assert next_one(1, 2, 3, 0) == 1
    assert turn((), ["weekly:2026-W22"]) is None
    assert turn(four[:1], [names[0]]) == four[0], "alone it is tried at the next tick"


def played(rules: tuple[Rule, ...], zone: ZoneInfo, start: str, days: int, step: int = 1800) -> dict[str, str]:
    """Local times at which each report was made by a daemon that looks each `step` seconds."""
    first = at(start, zone)
    done, made = past(rules, first, zone), {}
    for tick in range(0, days * 86400, step):
        now = first + tick
        for task in due(rules, now, zone, done):
            assert task.key not in made
            made[task.key] = f"{datetime.fromtimestamp(now, zone):%m-%d %H:%M}"
            done = settled(done, task, rules, now, zone)
    return made


@pytest.mark.parametrize(
    ("zone", "start", "hour"),
    [
        (BERLIN, "2026-03-27T00:00", "08:30"),
        (BERLIN, "2026-10-23T00:00", "08:30"),
        (YORK, "2026-03-06T00:00", "08:30"),
        (YORK, "2026-10-30T00:00", "08:30"),
        (TASHKENT, "2026-03-27T00:00", "08:30"),
        (BERLIN, "2026-03-27T00:00", "00:00"),
        (BERLIN, "2026-10-23T00:00", "02:30"),  # an hour that comes twice
        (YORK, "2026-10-30T00:00", "01:30"),
    ],
)
def test_over_a_change_of_the_clocks_each_day_has_one_digest_at_its_hour(zone: ZoneInfo, start: str, hour: str) -> None:
    made = played((Rule(Kind.DIGEST, time.fromisoformat(hour)),), zone, start, 5)
    days = [date.fromisoformat(start[:10]) + timedelta(days=n) for n in range(5)]
    expected = {f"digest:{day}": f"{day:%m-%d} {hour}" for day in days}
    if hour == "00:00":
        expected.pop(f"digest:{days[0]}")  # reached when the store was new
    got = {name: moment for name, moment in made.items() if name in expected}
    assert got == expected
    assert len(made) <= len(expected) + 1, "the fall has an hour more, which may reach into the next day"


@pytest.mark.parametrize(
    ("zone", "start", "hour", "then"),
    [(BERLIN, "2026-03-28T12:00", "02:30", "03-29 03:30"), (YORK, "2026-03-07T12:00", "02:15", "03-08 03:30")],
)
def test_an_hour_that_does_not_exist_on_a_day_is_passed_with_the_hour_after_it(
    zone: ZoneInfo, start: str, hour: str, then: str
) -> None:
    made = played((Rule(Kind.DIGEST, time.fromisoformat(hour)),), zone, start, 1)
    assert list(made.values()) == [then]


@pytest.mark.parametrize("step", [-3 * 3600, 3 * 3600])
@pytest.mark.parametrize("when", ["2026-06-01T01:00", "2026-06-01T08:40", "2026-06-01T21:00", "2026-06-02T00:30"])
def test_a_clock_that_is_set_by_three_hours_repeats_nothing_and_loses_no_digest(when: str, step: int) -> None:
    start = at("2026-05-31T12:00")
    done, made, shift = past(ALL, start, TASHKENT), list[str](), 0
    for tick in range(0, 3 * 86400, 60):
        now = start + tick + shift
        if not shift and now >= at(when):
            shift = step
            done = stepped(done, shift)
            now += shift
        for task in due(ALL, now, TASHKENT, done):
            made.append(task.key)
            done = settled(done, task, ALL, now, TASHKENT)
    assert len(made) == len(set(made)), made
    days = [name for name in made if name.startswith("digest")]
    assert days == [f"digest:2026-06-0{n}" for n in (1, 2, 3)][: len(days)]
    assert len(days) >= 2
    assert {"weekly:2026-W22", "monthly:2026-05"} <= set(made)


def test_three_days_of_downtime_are_one_late_digest() -> None:
    done = settled({}, Due(Kind.DIGEST, "digest:2026-08-13", at("2026-08-13T08:30")), ALL, at("2026-08-13T08:30"), TASHKENT)
    back = at("2026-08-16T12:00")
    (task,) = due((DIGEST,), back, TASHKENT, done)
    assert (task.key, task.late(back)) == ("digest:2026-08-16", True)
    assert since(done, Kind.DIGEST) == at("2026-08-13T08:30"), "it covers everything since the one before"
    after = settled(done, task, ALL, back, TASHKENT)
    assert list(after)[-3:] == ["digest:2026-08-14", "digest:2026-08-15", "digest:2026-08-16"]
    assert due((DIGEST,), back + 60, TASHKENT, after) == ()
    assert due((DIGEST,), back - 86400, TASHKENT, after) == (), "not even when the clock is set back by a day"
    assert [each.key for each in due((DIGEST,), at("2026-08-17T08:30"), TASHKENT, after)] == ["digest:2026-08-17"]


def test_down_until_before_its_hour_the_missed_digest_comes_late_and_the_next_in_time() -> None:
    done = {"digest:2026-08-13": at("2026-08-13T08:30")}
    night = at("2026-08-17T02:00")
    (missed,) = due((DIGEST,), night, TASHKENT, done)
    assert (missed.key, missed.late(night)) == ("digest:2026-08-16", True)
    (next_one,) = due((DIGEST,), at("2026-08-17T08:31"), TASHKENT, settled(done, missed, ALL, night, TASHKENT))
    assert (next_one.key, next_one.late(at("2026-08-17T08:31"))) == ("digest:2026-08-17", False)


def test_a_new_store_starts_with_past_keys_set() -> None:
    now = at("2026-06-01T20:30")
    done = past(ALL, now, TASHKENT)
    assert keys(now, done) == []
    assert {"weekly:2026-W22", "monthly:2026-05", "digest:2026-06-01", "anomaly:2026-06-01"} <= set(done)
    assert since(done, Kind.DIGEST) == at("2026-06-01T08:30"), "the first one covers what was since the hour before"
    early = past(ALL, at("2026-06-01T08:00"), TASHKENT)
    assert keys(at("2026-06-01T09:00"), early) == ["weekly:2026-W22", "monthly:2026-05", "digest:2026-06-01"]
    assert since({}, Kind.DIGEST) is None


def test_over_four_years_the_newest_keys_are_kept_by_insertion_and_nothing_comes_twice() -> None:
    made = list[str]()
    start = at("2026-01-01T00:00", BERLIN)
    done = past(ALL, start, BERLIN)
    for hours in range(4 * 366 * 24):
        now = start + hours * 3600
        for task in due(ALL, now, BERLIN, done):
            made.append(task.key)
            done = settled(done, task, ALL, now, BERLIN)
            assert len(done) <= KEPT
    assert len(made) == len(set(made))
    assert list(done) == made[-KEPT:]
    days = 4 * 366
    assert [sum(1 for name in made if name.startswith(kind)) for kind in Kind] == [209, 49, days, days]


def test_keys_survive_as_text_in_their_order() -> None:
    done = {"digest:2026-08-16": 2.0, "anomaly:2026-08-15": 1.0}
    assert list((restore(dump(done)) or {}).items()) == list(done.items())
    for broken in (None, "", "{", "{}", "[]", "7", '{"digest:2026-08-16": "soon"}', "[" * 100_000):
        assert restore(broken) is None
