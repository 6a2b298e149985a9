"""The picture as a viewer sees it, in black and white."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.fakes.performance import T, doc, evening, morning
from watchdog.alerts.phone import cells
from watchdog.demo.acts import ACTS
from watchdog.demo.ink import Ink
from watchdog.demo.news import Line
from watchdog.demo.picture import now, picture, told
from watchdog.demo.scene import Tale
from watchdog.demo.seen import Seen

GOLDEN = """\
bot-watchdog demo · 11 bots as real processes, the real daemon on top, a check every second    1:30
✓ bring-up   ✓ hang   ✓ reload   ✓ database   ▸ hopeless

A bot that no restart helps
Three tries are enough.


  BOT                   STATE     LAST 20 S             STARTS  NOW
● PostgreSQL            ok                         ▇▇▇       2  2 ms
● ├ Booking Bot         ok                         ▇▇▇       1  2 ms
● ├ eZee Scraper        ok                         ▇▇▇       1  2 ms
● │ └ Report Bot        ok                         ▇▇▇       1  2 ms
● └ Sheets Sync         ok                         ▇▇▇       1  2 ms
●   └ Owner Digest      ok                         ▇▇▇       1  2 ms
● Rates Bot             failing                    ▁▁▁       4  parked, a person is called
○ └ Invoice Bot         critical                   ▁▁▁       1  left alone, waits for Rates Bot
● WhatsApp Translator   ok                         ▇▇▇       2  2 ms
● Menu Bot              ok                         ▇▇▇       1  2 ms
● FAQ Bot               ok                         ▇▇▇       1  2 ms

 1:25  ✗ Rates Bot             parked after 3 tries: nothing more for an hour
 1:26  ✗ Rates Bot             a critical alert goes out: a person is needed"""


def tale(seen: Seen) -> Tale:
    made = Tale(tuple(act.short for act in ACTS), T, act=4, title="A bot that no restart helps", text="Three tries are enough.")
    made.closes += ["done"] * 4
    for second in range(3):
        made.sample(replace(seen, at=T + 60 + second))
    made.lines += [
        Line(T + 12, "FAQ Bot", "✓", "started, answers", "good"),
        Line(T + 85, "Rates Bot", "✗", "parked after 3 tries: nothing more for an hour", "bad"),
        Line(T + 86, "Rates Bot", "✗", "a critical alert goes out: a person is needed", "bad"),
    ]
    return made


def test_the_evening_on_a_terminal_of_100_columns() -> None:
    seen = evening()
    assert "\n".join(picture(tale(seen), seen, 99, 22, Ink())) == GOLDEN


def test_it_never_leaves_the_terminal() -> None:
    seen = evening()
    for width in (30, 60, 79, 99, 200):
        for height in (5, 18, 23, 50):
            lines = picture(tale(seen), seen, width, height, Ink())
            assert len(lines) <= height
            if width >= 60:
                assert max(map(cells, lines)) <= width


def test_colour_changes_no_letter() -> None:
    seen = evening()
    lines = picture(tale(seen), seen, 99, 22, Ink(colour=True))
    assert re.sub(r"\x1b\[\d*m", "", "\n".join(lines)) == GOLDEN
    assert "\x1b[31m" in "\n".join(lines)


def test_before_anything_runs_nothing_is_called_bad() -> None:
    empty = Seen(T)
    lines = "\n".join(picture(Tale((), T), empty, 100, 30, Ink()))
    assert lines.count("not started yet") == 11
    assert "down" not in lines


def test_what_a_bot_does_now() -> None:
    assert now(doc("a", now="restart-unresponsive, waiting for proof")) == "restart-unresponsive, proof runs"
    assert now(doc("a", "critical", reason="critical: lost postgres")) == "lost postgres"
    assert now(doc("a", latency_ms=0.3)) == "under 1 ms"
    assert now(doc("a", latency_ms=None)) == ""
    assert now(doc("a", "failing", stage="waiting", reason="x")) == "waits"


def test_a_line_of_the_log_is_cut_at_the_edge() -> None:
    line = told(Line(T + 61, "FAQ Bot", "✗", "x" * 100, "bad"), T, 60, Ink())
    assert line.startswith(" 1:01  ✗ FAQ Bot               xxx")
    assert cells(line) <= 60
    assert line.endswith("…")


def test_the_morning_has_its_programme_open() -> None:
    lines = picture(Tale(tuple(act.short for act in ACTS), T), morning(), 100, 24, Ink())
    assert lines[1] == "▸ bring-up   · hang   · reload   · database   · hopeless"
