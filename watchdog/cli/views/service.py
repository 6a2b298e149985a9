"""`watchdogctl status SERVICE`: one service, what is known of it and what happened lately."""

from __future__ import annotations

from collections.abc import Sequence

from watchdog.cli.views.frame import Frame
from watchdog.cli.views.incidents import told
from watchdog.cli.views.status import Doc, hold_line, row_of, since_words
from watchdog.cli.views.strip import LEGEND, strip, uptime
from watchdog.cli.views.symbols import words
from watchdog.cli.views.text import clean, cut
from watchdog.cli.views.times import DAY, clock
from watchdog.model.incident import Incident
from watchdog.model.records import Segment

LATELY = 10
"""How many past incidents are listed."""


def service_lines(
    service: Doc, segments: Sequence[Segment], incidents: Sequence[Incident], frame: Frame, *, live: bool = True
) -> list[str]:
    """service: its entry in `status`. incidents: of this service, newest first. live: False when read from the store."""
    row = row_of(service, frame)
    name = frame.paint(service["name"], "bold")
    title = f" · {clean(service['title'])}" if service.get("title") and service["title"] != service["name"] else ""
    state = f"{frame.paint(service['state'], row.role)} {since_words(service, frame)}"
    facts = _facts(service, row.now, frame)
    if not live:
        facts["Daemon"] = "not running; this is what it last wrote down"
    share = uptime(service["name"], segments, frame.now - DAY, frame.now)
    facts["24 hours"] = strip(segments, frame.now) + (f"   {share * 100:.2f} % up" if share is not None else "")
    lines = [f"{frame.paint(row.sign, row.role)} {name}{title} · {state}".rstrip()]
    lines += [cut(f"  {label:<9} {value}", frame.width) for label, value in facts.items()]
    lines += [frame.paint(cut(f"            {LEGEND}", frame.width), "dim"), "", "Lately"]
    for incident in incidents[:LATELY]:
        lines.append(cut(f"  {clock(incident.opened_at, frame):<16} {told(incident, frame)}", frame.width))
    return lines if incidents else [*lines, "  no incident is remembered"]


def _facts(service: Doc, now: str, frame: Frame) -> dict[str, str]:
    facts = {"Now": now or "nothing to do"}
    if service.get("reason") and str(service["reason"]) not in now:
        facts["Seen"] = clean(str(service["reason"]))
    if isinstance(service.get("hold"), dict):
        facts["Hold"] = hold_line(service["hold"], frame)
    if service.get("incident"):
        stage = f"{words(service['stage'])}; " if service.get("stage") else ""
        more = f"watchdogctl incident {service['incident']}, watchdogctl why {service['name']}"
        facts["Incident"] = f"{service['incident']} · {stage}{more}"
    return facts
