"""Times for people and for machines: relative for what is recent, the local clock with its zone for the record."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from recovery.units import format_duration
from watchdog.cli.views.frame import Frame
from watchdog.model.phrases import offset

DAY = 86400.0


def iso(at: float | None) -> str | None:
    """ISO 8601 in UTC with Z; milliseconds only where there are any (SPEC 14)."""
    if at is None:
        return None
    moment = datetime.fromtimestamp(round(at, 3), UTC)
    return moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds").replace("+00:00", "Z")


def seconds_of(text: str | None) -> float | None:
    """Wall seconds of an ISO 8601 time, None for none or for text that is no time."""
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None


def brief(seconds: float) -> str:
    """A length in one unit, for columns: `21 s`, `2 min`, `3 h`, `12 d`."""
    for size, unit in ((DAY, "d"), (3600.0, "h"), (60.0, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{max(0, int(seconds))} s"


def length(seconds: float) -> str:
    """A length in words: `2 min 24 s`."""
    return format_duration(seconds)


def clock(at: float, frame: Frame) -> str:
    """`03:34:10` today, `16 Aug 03:34:10` on another day, with the year when it is another one."""
    moment, today = _local(at, frame.zone), _local(frame.now, frame.zone)
    if moment.date() == today.date():
        return moment.strftime("%H:%M:%S")
    day = moment.strftime("%-d %b" if moment.year == today.year else "%-d %b %Y")
    return f"{day} {moment:%H:%M:%S}"


def minute(at: float, frame: Frame) -> str:
    """The clock without its seconds, for columns: `03:54`, `17 Aug 03:34`."""
    return clock(at, frame)[:-3]


def record(at: float, frame: Frame) -> str:
    """The clock with its zone: `03:34:10 +05`."""
    return f"{clock(at, frame)} {zone_of(at, frame.zone)}"


def ago(at: float, frame: Frame) -> str:
    """`2 min 24 s ago`, or the clock for what lies ahead."""
    return f"{length(frame.now - at)} ago" if at <= frame.now else f"at {clock(at, frame)}"


def ahead(at: float, frame: Frame) -> str:
    """`at 04:32:00 (in 12 min)`."""
    return f"at {clock(at, frame)} (in {length(at - frame.now)})" if at > frame.now else f"at {clock(at, frame)}"


def zone_of(at: float, zone: tzinfo) -> str:
    """`+05`, `-03:30`, `UTC`."""
    return offset(_local(at, zone))


def _local(at: float, zone: tzinfo) -> datetime:
    return datetime.fromtimestamp(at, zone)
