from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from tests.fakes import past
from watchdog.cli.stored import segments_by_service
from watchdog.cli.views.frame import Frame
from watchdog.cli.views.status import status_lines
from watchdog.cli.views.text import columns
from watchdog.cli.views.times import iso

ZONE = timezone(timedelta(hours=5))
NOW = datetime(2026, 8, 16, 3, 34, 40, tzinfo=ZONE).timestamp()
FRAME = Frame(NOW, ZONE)
DAY = 86400.0


def service(name: str, state: str, ago: float, **more: Any) -> dict[str, Any]:
    empty = {"reason": "", "latency_ms": None, "blocked_by": None, "hold": None, "parked": False, "incident": None}
    return {"name": name, "state": state, "since": iso(NOW - ago), **empty, **more}


def fleet(*services: dict[str, Any], **daemon: Any) -> dict[str, Any]:
    config: dict[str, Any] = {"loaded_at": iso(NOW - 9 * DAY), "errors": []}
    about = {"pid": 1, "mode": "heal", "started_at": iso(NOW - 12 * DAY), "last_page_at": iso(NOW - 9 * DAY), "config": config}
    return {"daemon": {**about, **daemon}, "services": list(services)}


SERVICES = (
    service("postgres", "ok", 12 * DAY, latency_ms=1.3),
    service("ezee-scraper", "failing", 150, stage="healing", now="restart-unresponsive, step 3 of 4"),
    service("report-bot", "degraded", 60, blocked_by="ezee-scraper", stage="blocked"),
    service("wa-translator", "critical", 3600, reason="logged out \x1b[31mby the phone", stage="waiting_for_person"),
    service("sheets-sync", "ok", 500, hold={"until": iso(NOW + 1200), "by": "anna", "reason": "deploy", "stop": False}),
    service("old-bot", "stopped", 5000, hold={"until": iso(NOW + DAY), "by": "root", "reason": "", "stop": True}),
    service("translator", "down", 5000, reason="exited 3 times", parked=True, stage="parked"),
)

GOLDEN = """\
bot-watchdog · healing · 1 ok, 1 being healed, 1 blocked, 1 needs a person, 1 on hold, 1 stopped, 1
  parked · up 12 d · last page 9 d ago

  SERVICE        STATE     SINCE   24 HOURS                  NOW
● postgres       ok        12 d    ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇  1 ms
● ezee-scraper   failing   2 min   ▇▇▇▇▇▇▇▇▇▇▇▇▁▇▇▇▇▇▇▇▇▇▇▁  restart-unresponsive, step 3 of 4
○ report-bot     degraded  1 min   ···················▇▇▇▇▁  blocked by ezee-scraper
● wa-translator  critical  1 h     ························  needs a person: logged out by the phone
○ sheets-sync    ok        8 min   ························  on hold until 03:54: deploy
○ old-bot        stopped   1 h     ························  stopped until 17 Aug 03:34
● translator     down      1 h     ························  parked: exited 3 times"""


def drawn(doc: dict[str, Any], frame: Frame = FRAME) -> str:
    return "\n".join(status_lines(doc, segments_by_service(past.segments(NOW)), frame))


def test_the_fleet_in_black_and_white() -> None:
    assert drawn(fleet(*SERVICES)) == GOLDEN


def test_a_quiet_fleet_is_one_line_and_its_table() -> None:
    assert drawn(fleet(SERVICES[0])).splitlines()[0] == "bot-watchdog · healing · 1 ok · up 12 d · last page 9 d ago"
    assert drawn(fleet(SERVICES[0], last_page_at=None, mode="observe")).startswith(
        "bot-watchdog · observing, touches nothing · 1 ok · up 12 d · no page so far"
    )


def test_every_line_fits_whatever_the_width() -> None:
    long = service("x" * 60, "failing", 5, reason="why " * 80)
    for width in (40, 60, 84, 100, 140):
        text = drawn(fleet(*SERVICES, long), replace(FRAME, width=width))
        assert max(map(columns, text.splitlines())) <= width


def test_a_narrow_terminal_does_without_the_day() -> None:
    assert "24 HOURS" not in drawn(fleet(*SERVICES), replace(FRAME, width=80))


def test_colours_change_no_word() -> None:
    coloured = drawn(fleet(*SERVICES), replace(FRAME, colour=True))
    assert "\x1b[31m●\x1b[0m" in coloured
    plain = coloured
    for code in ("\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"):
        plain = plain.replace(code, "")
    assert plain == GOLDEN


def test_a_daemon_that_is_gone_is_told_first() -> None:
    head = drawn(fleet(SERVICES[0], live=False, seen_at=iso(NOW - 300))).splitlines()[0]
    assert head == "bot-watchdog · not running (last seen 03:29:40 +05) · 1 ok · last page 9 d ago"


def test_what_concerns_all_stands_above_the_table() -> None:
    config = {"loaded_at": iso(NOW - 9 * DAY), "errors": ["a", "b"]}
    lines = drawn(fleet(SERVICES[0], config=config, storm=["a", "b", "c"], store="disk full")).splitlines()
    assert lines[1:4] == [
        "Storm: 3 services went bad together; none of them is restarted (watchdogctl why host).",
        "The store cannot be written: disk full. Nothing is healed until it can.",
        "Configuration: 2 errors in the file, that of 7 Aug 03:34:40 +05 stays in force (watchdogctl check).",
    ]


def test_playbooks_that_were_refused_are_told_apart_from_the_configuration() -> None:
    text = drawn(fleet(*SERVICES, playbooks=["mine.yaml:6:5: nonsense", "x.yaml: more"]))
    assert "2 playbook errors: these are not used, the others are (watchdogctl check)." in text
    assert "Configuration:" not in text


def test_what_somebody_took_away_says_how_whoever_holds_it_beside_that() -> None:
    hold = {"until": iso(NOW + 1200), "by": "anna", "reason": "deploy", "stop": False}
    mine = service("bot", "stopped", 5000, reason="paused by hand (docker pause)", stage="waiting", hold=hold)
    assert drawn(fleet(mine)).splitlines()[-1].endswith("paused by hand (docker pause)")
    assert drawn(fleet(mine)).splitlines()[-1].startswith("○ bot")
    assert "1 stopped" in drawn(fleet(mine)).splitlines()[0]


def test_an_engine_that_does_not_answer_stands_above_the_table() -> None:
    lines = drawn(fleet(SERVICES[0], docker=[{"host": "/var/run/docker.sock", "since": iso(NOW - 280)}])).splitlines()
    assert " ".join(line.strip() for line in lines[1:3]) == (
        "Docker (/var/run/docker.sock) does not answer since 03:30; nothing is done to its containers (watchdogctl why docker)."
    )


def test_people_who_are_not_reached_are_told_first() -> None:
    alerts = {"waiting": 3, "critical": 2, "late_s": 900.0, "closed": [{"to": "telegram 1", "why": "403 Forbidden: blocked"}]}
    lines = drawn(fleet(SERVICES[0], alerts=alerts)).splitlines()
    assert lines[1:3] == [
        "Alerts do not reach telegram 1: 403 Forbidden: blocked (watchdogctl notify test).",
        "2 critical messages not delivered, the oldest for 15 min (watchdogctl outbox).",
    ]
    quiet = {"waiting": 1, "critical": 1, "late_s": 0.0, "closed": []}
    assert drawn(fleet(SERVICES[0], alerts=quiet)) == drawn(fleet(SERVICES[0]))
