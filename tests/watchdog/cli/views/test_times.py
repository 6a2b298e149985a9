from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from watchdog.cli.views.frame import Frame
from watchdog.cli.views.times import ago, ahead, brief, clock, iso, minute, record, seconds_of, zone_of

TASHKENT = timezone(timedelta(hours=5))
NOW = datetime(2026, 8, 16, 3, 34, 40, tzinfo=TASHKENT).timestamp()
FRAME = Frame(NOW, TASHKENT)


def test_machines_get_utc_with_z() -> None:
    assert iso(NOW) == "2026-08-15T22:34:40Z"
    assert iso(NOW + 0.25) == "2026-08-15T22:34:40.250Z"
    assert iso(None) is None
    assert seconds_of("2026-08-15T22:34:40Z") == NOW
    assert seconds_of("soon") is None
    assert seconds_of(None) is None


def test_people_get_the_local_clock_with_as_much_day_as_needed() -> None:
    assert clock(NOW - 60, FRAME) == "03:33:40"
    assert clock(NOW - 5 * 3600, FRAME) == "15 Aug 22:34:40"
    assert clock(NOW - 300 * 86400, FRAME) == "20 Oct 2025 03:34:40"
    assert minute(NOW, FRAME) == "03:34"
    assert record(NOW, FRAME) == "03:34:40 +05"


def test_zones_are_short() -> None:
    assert zone_of(NOW, UTC) == "UTC"
    assert zone_of(NOW, ZoneInfo("Asia/Kolkata")) == "+05:30"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (12 * 86400, "12 d"), (-5, "0 s")],
)
def test_columns_get_one_unit(seconds: float, text: str) -> None:
    assert brief(seconds) == text


def test_near_things_are_told_from_now() -> None:
    assert ago(NOW - 144, FRAME) == "2 min 24 s ago"
    assert ahead(NOW + 720, FRAME) == "at 03:46:40 (in 12 min)"
    assert ahead(NOW - 5, FRAME) == "at 03:34:35"
