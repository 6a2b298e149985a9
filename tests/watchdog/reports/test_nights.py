"""A night is counted once, by the evening it began with; a page by day breaks none."""

from __future__ import annotations

from datetime import UTC, datetime, time

import pytest

from watchdog.model.incident import Tier
from watchdog.model.records import Notice, NoticeKind
from watchdog.reports.nights import broken

NIGHT = (time(22), time(8))


def page(*moments: str, tier: Tier = Tier.CRITICAL, kind: NoticeKind = NoticeKind.NEW) -> list[Notice]:
    at = [datetime.fromisoformat(f"{moment}+00:00").timestamp() for moment in moments]
    return [Notice(number, 1, "bot", tier, kind, each, "text") for number, each in enumerate(at)]


def nights(*notices: Notice, night: tuple[time, time] = NIGHT) -> int:
    begin, end = (datetime(2026, 3, day, 8, 30, tzinfo=UTC).timestamp() for day in (1, 8))
    return broken(notices, (begin, end), UTC, night)


@pytest.mark.parametrize(
    ("moments", "count"),
    [
        (("2026-03-02T23:10", "2026-03-03T03:47"), 1),
        (("2026-03-02T23:10", "2026-03-03T22:00"), 2),
        (("2026-03-02T07:59", "2026-03-02T08:00", "2026-03-02T21:59"), 1),
        (("2026-03-01T08:29",), 0),
    ],
)
def test_each_night_is_counted_once(moments: tuple[str, ...], count: int) -> None:
    assert nights(*page(*moments)) == count


def test_only_what_makes_a_sound_wakes() -> None:
    assert nights(*page("2026-03-02T23:10", tier=Tier.SOFT), *page("2026-03-02T23:10", kind=NoticeKind.EDIT)) == 0


def test_a_night_within_one_day() -> None:
    assert nights(*page("2026-03-02T00:30", "2026-03-02T06:00"), night=(time(0), time(6))) == 1
