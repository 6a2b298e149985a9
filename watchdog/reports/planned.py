"""Planned time from the configuration: the maintenance windows that fall into a period (SPEC 3, 12). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from functools import lru_cache

from cronsim import CronSim

from watchdog.config.schema import Service
from watchdog.reports.material import Planned


def planned(services: Iterable[Service], tz: tzinfo, since: float, until: float) -> tuple[Planned, ...]:
    """Each window of each service that touches the period, cut to it. Wall seconds."""
    return tuple(
        Planned(service.name, start, end)
        for service in services
        for window in service.maintenance
        for start, end in _windows(window.cron, window.seconds, tz, since, until)
    )


@lru_cache(maxsize=256)
def _windows(cron: str, seconds: float, tz: tzinfo, since: float, until: float) -> tuple[tuple[float, float], ...]:
    """Many services share one line. Lengths are elapsed seconds, also over a change of daylight saving time."""
    found = []
    for start in CronSim(cron, datetime.fromtimestamp(since - seconds, UTC).astimezone(tz)):
        begun = start.timestamp()
        if begun >= until:
            break
        if begun + seconds > since:
            found.append((max(begun, since), min(begun + seconds, until)))
    return tuple(found)
