from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from tests.fakes import past
from watchdog.cli.stored import segments_by_service
from watchdog.cli.views.frame import Frame
from watchdog.cli.views.service import service_lines
from watchdog.cli.views.times import iso

ZONE = timezone(timedelta(hours=5))
NOW = datetime(2026, 8, 16, 3, 34, 40, tzinfo=ZONE).timestamp()
FRAME = Frame(NOW, ZONE)

SERVICE: dict[str, Any] = {
    "name": "ezee-scraper",
    "title": "eZee Scraper",
    "state": "failing",
    "since": iso(NOW - 150),
    "reason": "timeout after 29.9 s",
    "incident": 214,
    "stage": "healing",
    "now": "restart-unresponsive, step 3 of 4",
    "hold": {"until": iso(NOW + 1200), "by": "anna", "reason": "deploy"},
}

GOLDEN = """\
○ ezee-scraper · eZee Scraper · failing for 2 min 30 s (since 03:32:10 +05)
  Now       restart-unresponsive, step 3 of 4
  Seen      timeout after 29.9 s
  Hold      by anna, ends at 03:54:40 (in 20 min): deploy
  Incident  214 · healing; watchdogctl incident 214, watchdogctl why ezee-scraper
  24 hours  ▇▇▇▇▇▇▇▇▇▇▇▇▁▇▇▇▇▇▇▇▇▇▇▁   99.66 % up
            ▇ ok  ▃ degraded, or bad under 1 min  ▁ bad  – stopped  · not known

Lately
  03:32:10         214 · unresponsive, healing for 2 min 30 s
  15 Aug 15:34:40  198 · unresponsive, healed after 2 min 24 s"""


def test_one_service_on_one_screen() -> None:
    segments = segments_by_service(past.segments(NOW))["ezee-scraper"]
    lines = service_lines(SERVICE, segments, [past.open_incident(NOW), past.closed_incident(NOW)], FRAME)
    assert "\n".join(lines) == GOLDEN


def test_a_new_one_has_no_past_and_says_so() -> None:
    lines = service_lines({"name": "new", "state": "unknown", "reason": "never asked"}, [], [], FRAME, live=False)
    assert lines[0] == "○ new · unknown"
    assert "  Daemon    not running; this is what it last wrote down" in lines
    assert lines[-1] == "  no incident is remembered"
