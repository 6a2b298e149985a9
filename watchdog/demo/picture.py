"""The living picture: programme, what happens now, the fleet, what happened. Pure: a tale and what is seen, to lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby

from watchdog.demo.fleet import CAST
from watchdog.demo.ink import Ink, fit, folded
from watchdog.demo.news import Line, title
from watchdog.demo.scene import SECONDS, Tale
from watchdog.demo.seen import Doc, Seen
from watchdog.model.incident import Stage
from watchdog.model.service import State

WIDEST = 110
NAME, STATE, STARTS = 20, 8, 6
GAP = "  "

WIDE = 96
"""Columns from which on there is room for the whole strip; below it half of it must do."""

ROLE: Mapping[str, str] = {
    State.OK: "good",
    State.DEGRADED: "warn",
    State.STARTING: "busy",
    State.CRITICAL: "bad",
    State.FAILING: "bad",
    State.DOWN: "bad",
}
BLOCK: Mapping[str, str] = {State.OK: "▇", State.DEGRADED: "▃", State.STARTING: "▃", State.UNKNOWN: "·"}
BAD_BLOCK = "▁"


def picture(tale: Tale, seen: Seen, width: int, height: int, ink: Ink) -> list[str]:
    """At most `height` lines of at most `width` columns; the log of what happened takes what the rest leaves."""
    width = min(width, WIDEST)
    lines = [_head(tale, seen, width, ink), _programme(tale, width, ink), ""]
    lines += [ink.paint(fit(tale.title, width).rstrip(), "bold"), *_text(tale.text, width), ""]
    lines += _fleet(tale, seen, width, ink)
    left = height - len(lines) - 1
    if left > 0:
        lines += ["", *(told(line, tale.began, width, ink) for line in tale.lines[-left:])]
    return lines[:height]


def told(line: Line, began: float, width: int, ink: Ink) -> str:
    """`0:23  ✓ PostgreSQL           healthy again after 4 s`."""
    words = fit(line.text, width - 31).rstrip()
    return f"{ink.paint(f'{clock(line.at - began):>5}', 'dim')}  {ink.paint(line.sign, line.role)} {fit(line.who, NAME)}  {words}"


def clock(seconds: float) -> str:
    """`1:04`."""
    whole = max(0, int(seconds))
    return f"{whole // 60}:{whole % 60:02}"


def _head(tale: Tale, seen: Seen, width: int, ink: Ink) -> str:
    name, time = "bot-watchdog demo", clock(seen.at - tale.began)
    what = f" · {len(CAST)} bots as real processes, the real daemon on top, a check every second"
    about = fit(what, width - len(name) - 6)
    return f"{ink.paint(name, 'bold')}{about}{time:>6}"


def _programme(tale: Tale, width: int, ink: Ink) -> str:
    parts = []
    for number, short in enumerate(tale.programme):
        sign, role = ("✓", "good") if number < len(tale.closes) else ("▸", "busy") if number == tale.act else ("·", "dim")
        parts.append((f"{sign} {short}", role))
    plain = "   ".join(part for part, _ in parts)
    return "   ".join(ink.paint(part, role) for part, role in parts) if len(plain) <= width else fit(plain, width)


def _text(text: str, width: int) -> list[str]:
    """Always two lines, so that what stands below does not jump."""
    lines = folded(text, width)[:2]
    return [*lines, *[""] * (2 - len(lines))]


def _fleet(tale: Tale, seen: Seen, width: int, ink: Ink) -> list[str]:
    long = SECONDS if width >= WIDE else SECONDS // 2
    left = max(0, width - 2 - NAME - STATE - long - STARTS - 4 * len(GAP))
    head = GAP.join(["  " + fit("BOT", NAME), fit("STATE", STATE), fit(f"LAST {long} S", long), "STARTS", "NOW"])
    lines = [ink.paint(fit(head, width).rstrip(), "dim")]
    for part, branch in zip(CAST, _branches(), strict=True):
        doc = seen.services.get(part.name, {})
        begun = bool(seen.starts.get(part.name))
        state = seen.state(part.name) if begun else ""
        role = ROLE.get(state, "dim")
        blocked = bool(doc.get("blocked_by"))
        dot = ink.paint("○" if blocked else "●", "warn" if blocked else role)
        cells = [
            f"{dot} {fit(branch + part.title, NAME)}",
            ink.paint(fit(state, STATE), role),
            _strip(tale.strips[part.name], long, ink),
            _starts(seen.starts.get(part.name, 0), ink),
        ]
        lines.append(GAP.join([*cells, fit(now(doc) if begun else "not started yet", left).rstrip()]).rstrip())
    return lines


def _branches() -> Iterable[str]:
    """The branch of each bot in the tree of who needs whom, for a cast in which dependents stand below what they need."""
    depth: dict[str, int] = {}
    for part in CAST:
        depth[part.name] = max((depth[name] + 1 for name in part.needs), default=0)
        siblings = [other.name for other in CAST if other.needs == part.needs]
        if not part.needs:
            yield ""
            continue
        turn = "└ " if part.name == siblings[-1] else "├ "
        open_above = depth[part.name] > 1 and not _last(part.needs[0])
        yield ("│ " if open_above else "  ") * (depth[part.name] - 1) + turn


def _last(name: str) -> bool:
    needs = next(part.needs for part in CAST if part.name == name)
    return [part.name for part in CAST if part.needs == needs][-1] == name


def _strip(states: Iterable[str], long: int, ink: Ink) -> str:
    """One block a second, the newest on the right."""
    known = list(states)[-long:]
    drawn = [(" ", "")] * (long - len(known)) + [(BLOCK.get(state, BAD_BLOCK), ROLE.get(state, "dim")) for state in known]
    return "".join(ink.paint("".join(block for block, _ in group), role) for role, group in groupby(drawn, key=lambda p: p[1]))


def _starts(count: int, ink: Ink) -> str:
    return ink.paint(f"{count or '':>{STARTS}}", "bold" if count > 1 else "")


def now(doc: Doc) -> str:
    """What it is doing or waiting for, in a few words."""
    if doc.get("now"):
        return str(doc["now"]).replace("waiting for proof", "proof runs")
    if doc.get("blocked_by"):
        return f"left alone, waits for {title(doc['blocked_by'])}"
    if doc.get("parked"):
        return "parked, a person is called"
    if doc["state"] == State.OK:
        latency = doc.get("latency_ms")
        return "" if latency is None else f"{latency:.0f} ms" if latency >= 1 else "under 1 ms"
    if doc.get("stage") == Stage.WAITING:
        return "waits"
    return str(doc.get("reason") or "").removeprefix(f"{doc['state']}: ")
