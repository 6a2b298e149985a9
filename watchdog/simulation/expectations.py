"""What a scenario expects, matched against what happened (SPEC 13). Pure: a timeline in, clear words out."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

KINDS = ("playbook", "action", "effect", "incident", "alert", "edit", "decision", "state", "report")
"""The kinds that a scenario can expect. A timeline holds others too (`blip`, `member`, `world`), to be read."""

ANY = "any"
QUIET = "silent"
"""A silent recovery is a line in the log, not a message: an alert of any tier does not mean it."""

_NEAREST = 2


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened. at: seconds since the start of the scenario; until: its end, for what lasts.

    name: what a scenario asks by: playbook, action, effect, service (of an incident), tier (of an alert), verdict, state, report.
    data: `outcome`, `tier`, `reason`, `text` and others for the reader.
    """

    at: float
    kind: str
    service: str
    name: str
    until: float | None = None
    data: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The form of `-o json`: at, kind, service, then the rest."""
        out: dict[str, Any] = {"at": round(self.at, 3), "kind": self.kind, "service": self.service, self.kind: self.name}
        if self.until is not None:
            out["until"] = round(self.until, 3)
        return {**out, **self.data}


@dataclass(frozen=True, slots=True)
class Expect:
    """One line of `expect`. count: least and most; window: seconds since the start.

    fields: regexes for `outcome`, `tier`, `reason`, `text`; None asks for a field that is not decided yet.
    order: names of actions or playbooks (`SERVICE/NAME` for one of a certain service) that follow each other.
    where: `file:line` for the failure. text: the line as it was written.
    """

    kind: str
    name: str = ANY
    service: str = ANY
    count: tuple[int, float] = (1, math.inf)
    window: tuple[float, float] | None = None
    fields: Mapping[str, str | None] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    where: str = ""
    text: str = ""


def failures(timeline: Sequence[Happening], expects: Sequence[Expect]) -> list[str]:
    """One text for each expectation that the timeline does not fulfil, in the order of the file."""
    found = (_order(timeline, each) if each.kind == "order" else _count(timeline, each) for each in expects)
    return [text for text in found if text is not None]


def _count(timeline: Sequence[Happening], expect: Expect) -> str | None:
    same = [each for each in timeline if each.kind == expect.kind]
    hits = [each for each in same if not _misses(each, expect)]
    least, most = expect.count
    if least <= len(hits) <= most:
        return None
    told = f"{expect.where}: expected {_wanted(expect)} {_times(expect.count)}, found {len(hits)}"
    if len(hits) > most:
        return f"{told}: {_several(hits)}"
    rest = [each for each in same if each not in hits]
    if not rest:
        return f"{told}: there was no {expect.kind} at all" if not hits else f"{told}: {_several(hits)}"
    nearest = sorted(rest, key=lambda each: (len(_misses(each, expect)), _away(each, expect)))[:_NEAREST]
    return f"{told}; nearest: " + "; ".join(f"{describe(each)} ({', '.join(_misses(each, expect))})" for each in nearest)


def _order(timeline: Sequence[Happening], expect: Expect) -> str | None:
    steps = [each for each in timeline if each.kind in {"action", "playbook"} and _fits(expect.service, each.service)]
    start = 0
    for number, item in enumerate(expect.order):
        service, _, name = item.rpartition("/")
        hit = next((i for i in range(start, len(steps)) if _is(steps[i], name, service or ANY)), None)
        if hit is None:
            seen = ", ".join(each.name for each in steps if each.kind == "action") or "nothing"
            before = f" after {expect.order[number - 1]}" if number else ""
            return f"{expect.where}: expected {_wanted(expect)}, no {item}{before}; there was: {seen}"
        start = hit + 1
    return None


def _is(each: Happening, name: str, service: str) -> bool:
    return _fits(name, each.name) and _fits(service, each.service)


def _fits(wanted: str, actual: str) -> bool:
    return wanted in {ANY, actual} or fnmatchcase(actual, wanted)


def _misses(each: Happening, expect: Expect) -> list[str]:
    """Why this happening is not the one that is meant; empty: it is."""
    out: list[str] = []
    if not _fits(expect.name, each.name) or (expect.name == ANY and each.name == QUIET and each.kind in {"alert", "edit"}):
        out.append(f"it is {each.name}")
    if not _fits(expect.service, each.service):
        out.append(f"of {each.service}")
    if expect.window is not None and _away(each, expect) > 0:
        out.append(f"at {clock(each.at)}")
    out.extend(miss for key, wanted in expect.fields.items() if (miss := _field_miss(each, key, wanted)))
    return out


def _field_miss(each: Happening, key: str, wanted: str | None) -> str | None:
    actual = each.data.get(key)
    shown = "undecided" if actual is None else f"{str(actual)[:60]!r}"
    if wanted is None:
        return None if actual is None else f"{key} is {shown}"
    if actual is None:
        return f"{key} is {shown}"
    # Words of ours are compared whole, so that `healed` does not mean any other word with it inside; sentences are searched.
    match = re.fullmatch if key in {"outcome", "tier"} else re.search
    return None if match(wanted, str(actual)) else f"{key} is {shown}"


def _away(each: Happening, expect: Expect) -> float:
    """Seconds between the happening and the window, 0 inside. A state counts for as long as it lasts."""
    if expect.window is None:
        return 0.0
    first, last = expect.window
    end = max(each.at, each.until if each.until is not None else math.inf) if each.kind == "state" else each.at
    return max(0.0, first - end - 1e-6, each.at - last - 1e-6)


def describe(each: Happening) -> str:
    """A happening in one short line."""
    who = "" if each.name == each.service else f" of {each.service}" if each.service else ""
    outcome = each.data.get("outcome")
    return f"{each.kind} {each.name}{who} at {clock(each.at)}" + (f", {outcome}" if outcome else "")


def clock(seconds: float) -> str:
    """Seconds since the start as a scenario writes them: 2m5s."""
    seconds = round(seconds, 1)  # first, or 19m59.97s would be 19m60s
    whole = int(seconds)
    rest = seconds - whole
    hours, minutes, left = whole // 3600, whole % 3600 // 60, whole % 60
    text = "".join(f"{value}{unit}" for value, unit in ((hours, "h"), (minutes, "m")) if value)
    tail = f"{left + rest:.1f}".removesuffix(".0") if rest >= 0.05 else str(left)
    return text if text and tail == "0" else f"{text}{tail}s"


def _several(hits: Sequence[Happening]) -> str:
    shown = "; ".join(describe(each) for each in hits[:5])
    return shown + (f" and {len(hits) - 5} more" if len(hits) > 5 else "")


def _times(count: tuple[int, float]) -> str:
    least, most = count
    if most == math.inf:
        return "at least once" if least == 1 else f"at least {least} times"
    if least == most:
        return {0: "never", 1: "exactly once"}.get(least, f"exactly {least} times")
    return f"{least} to {most:.0f} times"


def _wanted(expect: Expect) -> str:
    return expect.text or f"{expect.kind} {expect.name}"
