from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from watchdog.alerts.reminding import next_reminder


@pytest.mark.parametrize(
    ("zone", "asked", "again"),
    [
        ("Asia/Tashkent", "2026-08-16T02:13", "2026-08-17T09:00"),
        ("Asia/Tashkent", "2026-08-16T23:59", "2026-08-17T09:00"),
        ("Asia/Tashkent", "2026-08-17T09:00", "2026-08-18T09:00"),
        ("Europe/Berlin", "2026-03-28T22:00", "2026-03-29T09:00"),  # the clocks go forward that night
        ("Europe/Berlin", "2026-10-24T22:00", "2026-10-25T09:00"),  # and back
    ],
)
def test_a_person_is_asked_again_at_nine_of_the_next_day(zone: str, asked: str, again: str) -> None:
    tz = ZoneInfo(zone)
    at = datetime.fromisoformat(asked).replace(tzinfo=tz).timestamp()
    assert datetime.fromtimestamp(next_reminder(at, tz), tz).isoformat()[:16] == again
