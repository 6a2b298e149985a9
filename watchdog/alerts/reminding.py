"""When a person who is still needed is asked again: by day, for the question waited a night already (SPEC 7, VOICE). Pure."""

from __future__ import annotations

from datetime import datetime, time, timedelta, tzinfo

HOUR = time(9)
"""Local. Once a day."""


def next_reminder(at: float, tz: tzinfo) -> float:
    """09:00 of the local day after `at`: nine hours later at the soonest. Wall seconds."""
    day = datetime.fromtimestamp(at, tz).date() + timedelta(days=1)
    return datetime.combine(day, HOUR, tz).timestamp()
