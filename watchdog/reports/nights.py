"""Nights in which somebody was woken."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, time, timedelta, tzinfo

from watchdog.model.incident import Tier
from watchdog.model.records import Notice, NoticeKind


def is_page(notice: Notice) -> bool:
    """Somebody was called. The tier of an incident that came back begins anew, and does not tell any more."""
    return notice.tier is Tier.CRITICAL and notice.kind is NoticeKind.NEW


def broken(notices: Iterable[Notice], period: tuple[float, float], tz: tzinfo, night: tuple[time, time]) -> int:
    """How many nights a page went out in, each counted once. period: wall seconds, its begin left out."""
    start, end = night
    over = end <= start
    found = set()
    for notice in notices:
        if not is_page(notice) or not period[0] < notice.at <= period[1]:
            continue
        local = datetime.fromtimestamp(notice.at, tz)
        clock = local.time()
        if (clock >= start or clock < end) if over else start <= clock < end:
            found.add((local - timedelta(days=1)).date() if over and clock < end else local.date())
    return len(found)
