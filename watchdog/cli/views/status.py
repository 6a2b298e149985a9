"""`watchdogctl status`: the fleet in one table. Reads the JSON of SPEC 14 with what the daemon adds for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from watchdog.cli.views.frame import Frame
from watchdog.cli.views.strip import HOURS, strip
from watchdog.cli.views.symbols import FULL, HOLLOW, STATE_ROLE
from watchdog.cli.views.text import clean, cut, folded, pad, plural
from watchdog.cli.views.times import ahead, brief, length, minute, record, seconds_of
from watchdog.model.incident import Stage
from watchdog.model.records import Segment
from watchdog.model.service import State

NARROW = 84
"""Columns under which the strip gives its place to what is going on now."""

DEAD = "not running"
GAP = "  "

Doc = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """A service of the document with its place in the counts and its look."""

    doc: Doc
    group: str
    sign: str
    role: str
    now: str


def status_lines(doc: Doc, segments: Mapping[str, Sequence[Segment]], frame: Frame) -> list[str]:
    """doc: `status` of SPEC 14; `live: false` in its `daemon` when it was read from the store."""
    rows = [row_of(service, frame) for service in doc["services"] if service["name"] != "docker"]  # a line of its own says it
    lines = [*_headline(doc["daemon"], rows, frame), *_troubles(doc["daemon"], frame), ""]
    return [*lines, *_table(rows, segments, frame)]


def row_of(service: Doc, frame: Frame) -> Row:
    """What a service counts as, and its words for now: what is done comes before what is wrong."""
    state, role = service["state"], STATE_ROLE.get(service["state"], "dim")
    group = _group(service)
    hollow = group in ("blocked", "on hold", "stopped", "unknown")
    return Row(
        doc=service,
        group=group,
        sign=HOLLOW if hollow else FULL,
        role="warn" if group == "blocked" else "busy" if group == "being healed" and state == State.OK else role,
        now=clean(str(service.get("now") or _now(service, group, frame))),
    )


def _group(service: Doc) -> str:
    if service.get("hold") and service["state"] != State.STOPPED:
        return "on hold"
    if service.get("stage") == Stage.HEALING:
        return "being healed"
    if service.get("blocked_by"):
        return "blocked"
    if service.get("parked"):
        return "parked"
    if service.get("stage") == Stage.PERSON:
        return "needs a person"
    return str(service["state"])


def _now(service: Doc, group: str, frame: Frame) -> str:
    hold, reason = service.get("hold"), str(service.get("reason") or "")
    if hold and not _left(service):
        return _hold(hold, group, frame)
    if group == "blocked":
        return f"blocked by {service['blocked_by']}"
    if group in ("being healed", "parked", "needs a person"):
        return f"{group}: {reason}" if reason else group
    if service["state"] == State.OK:
        latency = service.get("latency_ms")
        return f"{latency:.0f} ms" if latency is not None and latency >= 1 else "under 1 ms" if latency is not None else ""
    return reason


def _left(service: Doc) -> bool:
    """Stopped, paused or removed by hand, whoever holds it beside that."""
    hold = service.get("hold")
    return service["state"] == State.STOPPED and not (isinstance(hold, Mapping) and hold.get("stop"))


def _hold(hold: Any, group: str, frame: Frame) -> str:
    until = seconds_of(hold.get("until")) if isinstance(hold, Mapping) else None
    because = f": {hold['reason']}" if isinstance(hold, Mapping) and hold.get("reason") else ""
    word = "stopped" if group == "stopped" else "on hold"
    return f"{word} until {minute(until, frame)}{because}" if until else f"{word}{because}"


def _headline(daemon: Doc, rows: Sequence[Row], frame: Frame) -> list[str]:
    parts = [_mood(daemon, frame), _counts(rows)]
    started, page = seconds_of(daemon.get("started_at")), seconds_of(daemon.get("last_page_at"))
    if started and daemon.get("live", True):
        parts.append(f"up {brief(frame.now - started)}")
    parts.append(f"last page {brief(frame.now - page)} ago" if page else "no page so far")
    lines = folded(" · ".join(["bot-watchdog", *parts]), frame.width, indent="  ")
    lines[0] = lines[0].replace("bot-watchdog", frame.paint("bot-watchdog", "bold"), 1)
    return [line.replace(DEAD, frame.paint(DEAD, "bad")) for line in lines]


def _mood(daemon: Doc, frame: Frame) -> str:
    if not daemon.get("live", True):
        seen = seconds_of(daemon.get("seen_at"))
        return DEAD + (f" (last seen {record(seen, frame)})" if seen else "")
    return {"heal": "healing", "observe": "observing, touches nothing"}.get(str(daemon.get("mode")), str(daemon.get("mode")))


def _counts(rows: Sequence[Row]) -> str:
    counts: dict[str, int] = {}
    for row in sorted(rows, key=lambda row: row.group != State.OK):
        counts[row.group] = counts.get(row.group, 0) + 1
    return ", ".join(f"{count} {group}" for group, count in counts.items()) or "no services"


def _troubles(daemon: Doc, frame: Frame) -> list[str]:
    """What concerns all of them: a storm, a store that cannot be written, a configuration or playbooks that were refused."""
    lines = []
    if daemon.get("storm"):
        count = plural(len(daemon["storm"]), "service")
        lines.append(f"Storm: {count} went bad together; none of them is restarted (watchdogctl why host).")
    for engine in daemon.get("docker") or ():
        down = seconds_of(engine.get("since"))
        begun = f" since {minute(down, frame)}" if down else ""
        lines.append(
            f"Docker ({engine['host']}) does not answer{begun}; nothing is done to its containers (watchdogctl why docker)."
        )
    if daemon.get("store"):
        lines.append(f"The store cannot be written: {clean(str(daemon['store']))}. Nothing is healed until it can.")
    lines += _unreached(daemon.get("alerts") or {})
    config = daemon.get("config") or {}
    errors = config.get("errors") or []
    if errors:
        loaded = seconds_of(config.get("loaded_at"))
        since = f"that of {record(loaded, frame)}" if loaded else "the one before"
        lines.append(f"Configuration: {plural(len(errors), 'error')} in the file, {since} stays in force (watchdogctl check).")
    if books := daemon.get("playbooks"):
        lines.append(f"{plural(len(books), 'playbook error')}: these are not used, the others are (watchdogctl check).")
    return [frame.paint(part, "warn") for line in lines for part in folded(line, frame.width, indent="  ")]


def _unreached(alerts: Doc) -> list[str]:
    """Silence is worth nothing while nobody can be told."""
    lines = [
        f"Alerts do not reach {clean(str(chat['to']))}: {clean(str(chat['why']))} (watchdogctl notify test)."
        for chat in alerts.get("closed") or ()
    ]
    if late := alerts.get("late_s"):
        count = plural(int(alerts["critical"]), "critical message")
        lines.append(f"{count} not delivered, the oldest for {length(late)} (watchdogctl outbox).")
    return lines


def _table(rows: Sequence[Row], segments: Mapping[str, Sequence[Segment]], frame: Frame) -> list[str]:
    name = min(max([7, *(len(row.doc["name"]) for row in rows)]), 28, frame.width // 3)
    state = max([5, *(len(row.doc["state"]) for row in rows)])
    heads = ["  " + pad("SERVICE", name), pad("STATE", state), pad("SINCE", 6)]
    wide = frame.width >= NARROW
    if wide:
        heads.append(pad("24 HOURS", HOURS))
    left = frame.width - sum(len(head) + len(GAP) for head in heads)
    lines = [frame.paint(cut(GAP.join([*heads, "NOW"]), frame.width), "dim")]
    for row in rows:
        since = seconds_of(row.doc.get("since"))
        cells = [
            frame.paint(row.sign, row.role) + " " + pad(row.doc["name"], name),
            frame.paint(pad(row.doc["state"], state), row.role),
            pad(brief(frame.now - since) if since else "", 6),
        ]
        if wide:
            cells.append(strip(segments.get(row.doc["name"], ()), frame.now))
        lines.append(GAP.join([*cells, cut(row.now, max(left, 0))]).rstrip())
    return lines


def hold_line(hold: Doc, frame: Frame) -> str:
    """Who holds it, why and until when."""
    until = seconds_of(hold.get("until"))
    ends = f", ends {ahead(until, frame)}" if until else ""
    return f"by {hold.get('by') or 'somebody'}{ends}" + (f": {clean(str(hold['reason']))}" if hold.get("reason") else "")


def since_words(service: Doc, frame: Frame) -> str:
    """`for 2 min 10 s (since 03:32:10 +05)`."""
    since = seconds_of(service.get("since"))
    return f"for {length(frame.now - since)} (since {record(since, frame)})" if since else ""
