"""What the live status tells a report."""

from __future__ import annotations

from watchdog.reports.slow import slow_of


def test_only_what_is_slow_is_taken_from_the_status() -> None:
    services = [
        {"name": "mailer", "now": "slow: queue grew from 10 to 460 in 23 min"},
        {"name": "scraper", "now": "restart-unresponsive, step 3 of 4"},
        {"name": "postgres", "now": ""},
        {"name": "old", "state": "ok"},
    ]
    assert slow_of({"services": services}) == {"mailer": "queue grew from 10 to 460 in 23 min"}
