"""What an incident probably comes from, each guess with its grounds in numbers (SPEC 11). Plain arithmetic, pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import pairwise
from typing import NamedTuple

from recovery.units import format_duration
from watchdog.alerts.before import WINDOW, alike
from watchdog.model.incident import Incident

SHORTLY = 1800.0
"""Seconds before the first failure in which a change is worth a thought."""

TOLD = 2
"""Changes that are named when several came shortly before, the newest ones."""

CHANCE = 0.2
"""Failures that such a stretch would hold by chance, by the count of 30 days, from which a change before one says nothing."""

TOGETHER = 600.0
"""Seconds within which services that share something fail together."""

HOURS, SAME_HOUR = 3, 4
"""Hours of the day in which most of at least so many earlier ones must have begun."""

MOST = 0.75
"""The share from which one error, or one hour, is the usual one."""

ERRORS = 4
"""Errors in the last lines of a log below which none of them is the usual one."""

GAPS = 3
"""Good stretches in a row, each shorter than the one before, that make a trend; the last at most half as long as the first."""

LATELY = 7 * 86400.0
"""Seconds of history in which a trend is looked for."""

_ERROR = re.compile(r"\b[A-Z][A-Za-z0-9]*(?:Error|Exception|Timeout)\b")


class Change(NamedTuple):
    """Something that somebody changed about a service. at: wall seconds. what: in words, `re-created by hand (docker rm)`."""

    at: float
    what: str


@dataclass(frozen=True, slots=True)
class Clues:
    """incident: the one that is asked about. past: closed ones of this service. changes: to this service, oldest first.

    shares: of each thing that it depends on or uses, by the name that people read, all who need it. bad: since when which service
    is bad, this one among them. log: its last lines.
    """

    incident: Incident
    now: float
    tz: tzinfo
    past: tuple[Incident, ...] = ()
    changes: tuple[Change, ...] = ()
    shares: Mapping[str, tuple[str, ...]] | None = None
    bad: Mapping[str, float] | None = None
    log: tuple[str, ...] = ()


def guesses(clues: Clues) -> tuple[str, ...]:
    """The likely causes, the best founded first; empty when nothing speaks for any."""
    found = (changed(clues), shared(clues), dominant(clues.log), faster(clues), same_hour(clues))
    return tuple(text for text in found if text)


def changed(clues: Clues) -> str:
    """`re-created by hand, 4 min before the first failure (61 days without one before it)`."""
    start = _start(clues.incident)
    before = [change for change in clues.changes if 0 <= start - change.at <= SHORTLY]
    if not before:
        return ""
    change = before[-1]
    what = ", then ".join(each.what for each in before[-TOLD:])
    earlier = [each for each in clues.past if _speaks(each, clues.incident) and each.opened_at < change.at]
    count = sum(1 for each in earlier if change.at - each.opened_at <= WINDOW)
    if count * (start - change.at) / WINDOW > CHANCE:
        return ""
    last = max((each.closed_at or each.opened_at for each in earlier), default=None)
    calm = "no earlier failure is known" if last is None else f"{format_duration(change.at - last)} without one before it"
    return f"{what}, {format_duration(start - change.at)} before the first failure ({calm})"


def shared(clues: Clues) -> str:
    """`Vault: 3 of the 4 services that need it went bad within 10 min`."""
    name, start = clues.incident.service, _start(clues.incident)
    bad = clues.bad or {}
    found = []
    for what, users in (clues.shares or {}).items():
        fallen = [user for user in users if user == name or (user in bad and abs(bad[user] - start) <= TOGETHER)]
        if len(fallen) > 1 and 2 * len(fallen) >= len(users):
            found.append((len(fallen) / len(users), len(fallen), what, len(users)))
    if not found:
        return ""
    _, fallen_count, what, total = max(found)
    of = f"all {total}" if fallen_count == total else f"{fallen_count} of the {total}"
    return f"{what}: {of} services that need it went bad within {format_duration(TOGETHER)}"


def dominant(log: Sequence[str]) -> str:
    """`ConnectionResetError: 9 of 10 errors in its last log lines`."""
    names = [found[-1] for line in log if (found := _ERROR.findall(line))]
    if len(names) < ERRORS:
        return ""
    name, count = Counter(names).most_common(1)[0]
    return f"{name}: {count} of {len(names)} errors in its last log lines" if count >= MOST * len(names) else ""


def faster(clues: Clues) -> str:
    """`it breaks sooner each time: after 6 h, 2 h, then 40 min`."""
    same = alike(clues.incident, clues.past, clues.now)
    recent = [each for each in same if clues.now - each.opened_at <= LATELY and each.closed_at is not None]
    turns = sorted((each.opened_at, each.closed_at or 0.0) for each in recent)
    gaps = [begun - ended for (_, ended), (begun, _) in pairwise((*turns, (_start(clues.incident), 0.0)))][-GAPS - 1 :]
    while len(gaps) > GAPS and gaps[0] <= gaps[1]:
        gaps = gaps[1:]
    falling = all(later < sooner for sooner, later in pairwise(gaps))
    if len(gaps) < GAPS or not falling or gaps[-1] <= 0 or 2 * gaps[-1] > gaps[0]:
        return ""
    *first, last = (format_duration(gap) for gap in gaps)
    return f"it breaks sooner each time: after {', '.join(first)}, then {last}"


def same_hour(clues: Clues) -> str:
    """`something that runs at this hour: 4 of 4 began between 01:00 and 04:00`."""
    same = alike(clues.incident, clues.past, clues.now)
    if len(same) < SAME_HOUR:
        return ""
    hours = [_hour(each.opened_at, clues.tz) for each in same]
    first = max(range(24), key=lambda start: (_inside(hours, start), -start))
    inside = _inside(hours, first)
    if not _inside((_hour(clues.incident.opened_at, clues.tz),), first) or inside < MOST * len(same):
        return ""
    span = f"{first:02}:00 and {(first + HOURS) % 24:02}:00"
    return f"something that runs at this hour: {inside} of {len(same)} began between {span}"


def _start(incident: Incident) -> float:
    return incident.reopened_at if incident.reopened_at is not None else incident.opened_at


def _speaks(each: Incident, incident: Incident) -> bool:
    """Whatever was wrong with it: a change may break it in another way than before."""
    return each.id != incident.id and each.service == incident.service and not each.blip and each.parent is None


def _hour(at: float, tz: tzinfo) -> int:
    return datetime.fromtimestamp(at, tz).hour


def _inside(hours: Iterable[int], first: int) -> int:
    return sum(1 for hour in hours if (hour - first) % 24 < HOURS)
