"""Is a service in one of its maintenance windows? Pure: the zone and the time are given (SPEC 3, `maintenance`)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

from cronsim import CronSim

from watchdog.config.schema import Service


def in_maintenance(service: Service, tz: tzinfo, now: float) -> float | None:
    """Wall seconds at which the window that holds `now` ends, the latest of several; None outside of all.

    A window holds its first moment and not its last. Lengths are elapsed seconds, also over a change of daylight saving time.
    """
    ends = (_end(window.cron, window.seconds, tz, now) for window in service.maintenance)
    return max((end for end in ends if end is not None), default=None)


def _end(cron: str, seconds: float, tz: tzinfo, now: float) -> float | None:
    start = _last_start(cron, tz, int(now // 60))
    return start + seconds if start is not None and start + seconds > now else None


@lru_cache(maxsize=4096)
def _last_start(cron: str, tz: tzinfo, minute: int) -> float | None:
    """The last start up to `minute` (minutes since the epoch): cron lines have no seconds, so one look serves all of it."""
    moment = datetime.fromtimestamp(minute * 60, UTC) + timedelta(seconds=59)
    try:
        return next(CronSim(cron, moment.astimezone(tz), reverse=True)).timestamp()
    except StopIteration:
        return None
