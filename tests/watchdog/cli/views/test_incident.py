from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

from recovery.model import Run
from tests.fakes import past
from watchdog.cli.views.frame import Frame
from watchdog.cli.views.incident import EVIDENCE_LINES, Dossier, incident_lines
from watchdog.cli.views.text import columns
from watchdog.model.incident import Stage, Tier
from watchdog.model.records import Entry, Evidence, Notice, NoticeKind

ZONE = timezone(timedelta(hours=5))
NOW = datetime(2026, 8, 16, 3, 34, 40, tzinfo=ZONE).timestamp()
FRAME = Frame(NOW, ZONE)

GOLDEN = """\
incident 214 · eZee Scraper (ezee-scraper) · healing · silent
Since     03:32:10 +05, for 2 min 30 s now
Saw       unresponsive
State     4 timeouts on /health
Blocks    report-bot

Timeline
  03:32:10  opened     timeout after 29.9 s
  03:34:10  confirmed  unresponsive: 4 failing checks in a row

Tried
  ✗ restart-unresponsive 03:33:10–03:33:40: failed
      ✓ capture_evidence         500 ms  3 observations
      ✗ stop_process               30 s  failed: alive after SIGKILL
  → restart-unresponsive 03:34:10 until now: at work
      ✓ capture_evidence         500 ms  3 observations
      ✓ stop_process               10 s  ignored SIGTERM, killed
      → ensure_running

Evidence of 03:34:11 +05
  observations
    timeout
  log
    ImportError: cannot import name

Messages
  03:34:30  soft, new, not delivered yet
      🟡 eZee Scraper: down 3 min, being restarted

Act
  watchdogctl why ezee-scraper
  watchdogctl hold ezee-scraper --for 1h
  watchdogctl ack 214"""


def dossier() -> Dossier:
    rows = past.story(NOW)
    return Dossier(
        incident=past.open_incident(NOW),
        title="eZee Scraper",
        runs=[row for row in rows if isinstance(row, Run)],
        timeline=[row for row in rows if isinstance(row, Entry)],
        evidence=[row for row in rows if isinstance(row, Evidence)],
        notices=[row for row in rows if isinstance(row, Notice) and row.incident == 214],
        blocked=["report-bot"],
    )


def test_everything_in_the_order_in_which_a_person_asks() -> None:
    assert "\n".join(incident_lines(dossier(), FRAME)) == GOLDEN


def test_a_closed_one_says_how_long_it_lasted_and_asks_for_nothing() -> None:
    lines = incident_lines(Dossier(past.closed_incident(NOW), "eZee Scraper"), FRAME)
    assert lines[0] == "incident 198 · eZee Scraper (ezee-scraper) · healed · soft"
    assert lines[1] == "Since     15 Aug 15:34:40 +05 until 15 Aug 15:37:04 +05, 2 min 24 s"
    assert "Act" not in lines


def test_long_evidence_is_cut_and_says_where_the_rest_is() -> None:
    long = Evidence(214, "ezee-scraper", 9, NOW, "evidence", "\n".join(f"line {number}" for number in range(100)))
    lines = incident_lines(Dossier(past.open_incident(NOW), "x", evidence=[long]), FRAME)
    assert f"  line {EVIDENCE_LINES - 1}" in lines
    assert "  … 60 more lines (-o json)" in lines


PAGE = """\
🔴 eZee Scraper down 15 min, not healed
since 03:32 +05 · incident 214

Saw     4 timeouts on /health, then connection refused
Tried   03:34 restart: ignored SIGTERM, killed, started, refused
        03:41 restart: started, refused
Likely  new image: first failure 4 min after 1.4.1 → 1.4.2
Act     watchdogctl incident 214"""


def messages(text: str, width: int) -> list[str]:
    """The lines of the one message, without the head that says when it was sent."""
    notice = Notice(1, 214, "ezee-scraper", Tier.CRITICAL, NoticeKind.NEW, NOW - 5, text, NOW - 4)
    lines = incident_lines(Dossier(past.open_incident(NOW), "x", notices=[notice]), Frame(NOW, ZONE, width))
    return lines[lines.index("Messages") + 2 : lines.index("Act") - 1]


def test_a_message_is_shown_exactly_as_it_was_written() -> None:
    assert messages(PAGE, 100) == [f"      {line}".rstrip() for line in PAGE.split("\n")]


def test_a_message_is_wrapped_where_the_terminal_is_narrower_and_nothing_of_it_is_lost() -> None:
    lines = messages(PAGE, 50)
    assert max(map(columns, lines)) <= 50
    assert lines[3:6] == [
        "      Saw     4 timeouts on /health, then",
        "              connection refused",
        "      Tried   03:34 restart: ignored SIGTERM,",
    ]
    assert " ".join(" ".join(lines).split()) == " ".join(PAGE.split())


def test_a_message_cannot_touch_the_terminal() -> None:
    assert messages("Log     \x1b[2Jgone\rover", 100) == ["      Log     gone over"]


def test_evidence_that_is_not_for_everyone_says_so() -> None:
    lines = incident_lines(Dossier(past.open_incident(NOW), "x", withheld="anna may not read evidence"), FRAME)
    assert lines[lines.index("Evidence") + 1] == "  anna may not read evidence"


def test_equal_lines_of_evidence_are_shown_once_with_their_number() -> None:
    text = "Observations:\n" + "  no_answer not running\n" * 10 + "  ok\n\n\nLog:"
    lines = incident_lines(replace(dossier(), evidence=[Evidence(214, "ezee-scraper", 1, NOW, "evidence", text)]), FRAME)
    begin = lines.index("  Observations:")
    assert lines[begin : begin + 3] == ["  Observations:", "    no_answer not running ×10", "    ok"]
    assert not any("×2" in line for line in lines)


def test_what_was_given_up_may_be_asked_for() -> None:
    parked = replace(past.open_incident(NOW), stage=Stage.PARKED)
    text = "\n".join(incident_lines(replace(dossier(), incident=parked), FRAME))
    assert "watchdogctl recover ezee-scraper" in text
    assert "watchdogctl hold" not in text
