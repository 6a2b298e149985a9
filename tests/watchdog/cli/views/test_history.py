from __future__ import annotations

from datetime import datetime, timedelta, timezone

from tests.fakes import past
from watchdog.cli.stored import segments_by_service
from watchdog.cli.views.frame import Frame
from watchdog.cli.views.history import history_lines

ZONE = timezone(timedelta(hours=5))
NOW = datetime(2026, 8, 16, 3, 34, 40, tzinfo=ZONE).timestamp()
FRAME = Frame(NOW, ZONE)

GOLDEN = """\
ezee-scraper · 99.66 % up in 24 hours, 99.89 % up in 7 days

  Thu 13 Aug ···▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇
  Fri 14 Aug ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇
  Sat 15 Aug ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▁▇▇▇▇▇▇▇▇
  Sun 16 Aug ▇▇▇▁
             ▇ ok  ▃ degraded, or bad under 1 min  ▁ bad  – stopped  · not known

  SINCE +05            STATE      LASTED             WHY
● 03:32:10             failing    2 min 30 s so far  timeout after 29.9 s
● 15 Aug 15:37:04      ok         11 h 55 min
● 15 Aug 15:34:40      failing    2 min 24 s         timeout ×4
● 13 Aug 03:34:40      ok         2 days"""


def test_the_past_of_a_service() -> None:
    assert "\n".join(history_lines("ezee-scraper", segments_by_service(past.segments(NOW))["ezee-scraper"], FRAME)) == GOLDEN


def test_many_stretches_are_cut_and_counted() -> None:
    many = segments_by_service(past.segments(NOW))["ezee-scraper"]
    assert history_lines("ezee-scraper", many, FRAME, rows=1)[-1] == "  … 3 older ones (--since, -o json)"


def test_no_past_is_said_in_words() -> None:
    assert history_lines("new", [], FRAME) == ["new · never seen well or ill", "", "Nothing is known of it yet."]
