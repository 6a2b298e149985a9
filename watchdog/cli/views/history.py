"""`watchdogctl history SERVICE`: its stretches of one state, newest first, and how its last days looked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from watchdog.cli.views.frame import Frame
from watchdog.cli.views.strip import LEGEND, strip, uptime
from watchdog.cli.views.symbols import FULL, STATE_ROLE
from watchdog.cli.views.text import clean, cut, pad
from watchdog.cli.views.times import DAY, clock, length, zone_of
from watchdog.model.records import Segment

DAYS = 7
SPANS = (("24 hours", DAY), ("7 days", 7 * DAY), ("30 days", 30 * DAY))


def history_lines(service: str, segments: Sequence[Segment], frame: Frame, *, rows: int = 30) -> list[str]:
    """segments: of this service, any order. rows: how many stretches are listed."""
    ordered = sorted(segments, key=lambda s: s.since, reverse=True)
    lines = [f"{frame.paint(service, 'bold')} · {_uptimes(service, ordered, frame)}", ""]
    if not ordered:
        return [*lines[:1], "", "Nothing is known of it yet."]
    lines += [*_days(ordered, frame), frame.paint(cut(f"             {LEGEND}", frame.width), "dim"), ""]
    zone = zone_of(frame.now, frame.zone)
    lines.append(frame.paint(f"  {'SINCE ' + zone:<20} {'STATE':<10} {'LASTED':<18} WHY", "dim"))
    for segment in ordered[:rows]:
        role = STATE_ROLE.get(segment.state, "dim")
        lasted = length((segment.until if segment.until is not None else frame.now) - segment.since)
        lasts = lasted if segment.until is not None else f"{lasted} so far"
        since, state = clock(segment.since, frame), frame.paint(pad(segment.state, 10), role)
        row = f"{frame.paint(FULL, role)} {since:<20} {state} {lasts:<18} {cut(clean(segment.reason), max(frame.width - 53, 10))}"
        lines.append(row.rstrip())
    if len(ordered) > rows:
        lines.append(frame.paint(f"  … {len(ordered) - rows} older ones (--since, -o json)", "dim"))
    return lines


def _uptimes(service: str, segments: Sequence[Segment], frame: Frame) -> str:
    known = frame.now - min((s.since for s in segments), default=frame.now)
    shown = [(name, span) for index, (name, span) in enumerate(SPANS) if index == 0 or known > SPANS[index - 1][1]]
    shares = [(name, uptime(service, segments, frame.now - span, frame.now)) for name, span in shown]
    told = [f"{share * 100:.2f} % up in {name}" for name, share in shares if share is not None]
    return ", ".join(told) or "never seen well or ill"


def _days(segments: Sequence[Segment], frame: Frame) -> list[str]:
    """A row of 24 blocks for each of the last days, the newest below; a day begins at local midnight."""
    first = min(segment.since for segment in segments)
    midnight = datetime.fromtimestamp(frame.now, frame.zone).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
    lines = []
    for back in range(DAYS - 1, -1, -1):
        start = midnight - back * DAY
        if start + DAY <= first:
            continue
        end = min(start + DAY, frame.now)
        hours = max(1, int((end - start + 3599) // 3600))
        day = datetime.fromtimestamp(start + DAY / 2, frame.zone)
        row = strip([_until(segment, end) for segment in segments if segment.since < end], start + hours * 3600, cells=hours)
        lines.append(f"  {day:%a %-d %b}".ljust(13) + row)
    return lines


def _until(segment: Segment, end: float) -> Segment:
    """The segment as it was known at `end`: what lies later is not drawn."""
    if segment.until is not None and segment.until <= end:
        return segment
    return Segment(segment.service, segment.state, segment.since, end, segment.reason)
