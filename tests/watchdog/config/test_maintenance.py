from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import pytest

from watchdog.config.maintenance import in_maintenance
from watchdog.config.schema import Probe, Service
from watchdog.config.window import parse_window

TASHKENT = ZoneInfo("Asia/Tashkent")


def service(*windows: str) -> Service:
    return Service(name="a", probe=Probe(tcp="h:1"), maintenance=tuple(map(parse_window, windows)))


def at(text: str, tz: tzinfo = TASHKENT) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=tz).timestamp()


def test_a_window_holds_its_first_moment_and_not_its_last() -> None:
    bot = service("0 3 * * 1 for 30m")
    end = at("2026-03-02T03:30")
    for moment, expected in (
        ("2026-03-02T02:59:59.999", None),
        ("2026-03-02T03:00:00", end),
        ("2026-03-02T03:29:59.999", end),
        ("2026-03-02T03:30:00", None),
        ("2026-03-03T03:10:00", None),
    ):
        assert in_maintenance(bot, TASHKENT, at(moment)) == expected, moment


def test_clock_times_are_those_of_the_zone() -> None:
    assert in_maintenance(service("0 3 * * 1 for 30m"), UTC, at("2026-03-02T03:10")) is None


def test_of_several_windows_the_latest_end_counts() -> None:
    bot = service("0 3 * * * for 30m", "15 3 * * * for 2h", "0 4 * * * for 5m")
    assert in_maintenance(bot, TASHKENT, at("2026-03-02T03:20")) == at("2026-03-02T05:15")


def test_a_window_goes_over_midnight_and_over_days() -> None:
    assert in_maintenance(service("0 23 * * * for 2h"), TASHKENT, at("2026-03-02T00:30")) == at("2026-03-02T01:00")
    assert in_maintenance(service("0 0 1 * * for 10d"), TASHKENT, at("2026-03-09T12:00")) == at("2026-03-11T00:00")


@pytest.mark.parametrize(("moment", "end"), [("2026-03-29T03:10", "2026-03-29T03:30"), ("2026-10-25T04:00", None)])
def test_a_change_of_the_clock_does_no_harm(moment: str, end: str | None) -> None:
    """Berlin: no 02:30 on the first day, two of them on the other."""
    berlin = ZoneInfo("Europe/Berlin")
    found = in_maintenance(service("30 2 * * * for 30m"), berlin, at(moment, berlin))
    assert found == (at(end, berlin) if end else None)


def test_a_service_without_windows_is_never_in_one() -> None:
    assert in_maintenance(service(), TASHKENT, 0.0) is None
