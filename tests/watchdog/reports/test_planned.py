"""Maintenance windows as planned time of a period."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from watchdog.config.load import from_values
from watchdog.config.schema import Service
from watchdog.reports.planned import planned

HOUR = 3600.0


def services(*windows: str) -> list[Service]:
    bot = {"probe": {"http": "http://127.0.0.1:1/health"}, "maintenance": list(windows)}
    return list(from_values({"services": {"bot": bot, "other": {"probe": {"tcp": "127.0.0.1:1"}}}}).services.values())


def at(day: int, hour: int, minute: int = 0, zone: tzinfo = UTC, month: int = 3) -> float:
    return datetime(2026, month, day, hour, minute, tzinfo=zone).timestamp()


def test_windows_of_the_period_are_found_and_cut_to_it() -> None:
    found = planned(services("0 3 * * * for 30m", "0 8 * * 1 for 1h"), UTC, at(1, 3, 10), at(2, 8, 30))
    assert [(each.since, each.until) for each in found] == [
        (at(1, 3, 10), at(1, 3, 30)),
        (at(2, 3), at(2, 3, 30)),
        (at(2, 8), at(2, 8, 30)),
    ]
    assert {each.service for each in found} == {"bot"}


def test_a_window_that_ended_before_the_period_or_begins_with_its_end_is_not_in_it() -> None:
    assert planned(services("0 3 * * * for 30m"), UTC, at(1, 3, 30), at(2, 3)) == ()


def test_a_long_window_that_began_long_before_counts() -> None:
    found = planned(services("0 0 1 * * for 7d"), UTC, at(5, 0), at(6, 0))
    assert [(each.since, each.until) for each in found] == [(at(5, 0), at(6, 0))]


def test_hours_are_those_of_the_configured_zone_also_when_the_clock_changes() -> None:
    zone = ZoneInfo("Europe/Berlin")
    found = planned(services("30 2 * * * for 1h"), zone, at(28, 12, zone=zone), at(30, 12, zone=zone))
    assert [each.until - each.since for each in found] == [HOUR, HOUR]
    assert found[1].since == at(30, 2, 30, zone)
