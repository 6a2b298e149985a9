"""Which report is due when, and its name in local time: `weekly:2026-W33`, `digest:2026-08-16` (SPEC 12). Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from enum import StrEnum

KEPT = 200
"""Keys that are remembered, the newest by insertion, whatever `state.keep` says."""

LATE = 600.0
"""Seconds after its moment from which a report says that it is late: four tasks take four minutes, and a retry some more."""

BACK = 7
"""Days behind now whose keys are settled together with a newer one: a clock that is set back must not bring them up again."""


class Kind(StrEnum):
    """In the order in which they are taken when several are due."""

    WEEKLY = "weekly"
    MONTHLY = "monthly"
    DIGEST = "digest"
    ANOMALY = "anomaly"


@dataclass(frozen=True, slots=True)
class Rule:
    """at: local time of day. on: day of the week (weekly, 0 is Monday) or of the month (monthly, 1 is the first)."""

    kind: Kind
    at: time
    on: int = 0

    def falls(self, day: date) -> bool:
        """Whether this report belongs to that local day."""
        if self.kind is Kind.WEEKLY:
            return day.weekday() == self.on
        return self.kind is not Kind.MONTHLY or day.day == self.on

    @property
    def grace(self) -> int:
        """Days after its own on which it is still made. A missed digest comes late; stale analysis helps nobody (`grace: 0d`)."""
        return 1 if self.kind is Kind.DIGEST else 0


@dataclass(frozen=True, slots=True)
class Due:
    """A report that is to be made. at: wall seconds of the moment at which it became due."""

    kind: Kind
    key: str
    at: float

    def late(self, now: float) -> bool:
        return now - self.at > LATE


def key(kind: Kind, day: date) -> str:
    """The name of the report that is due on that local day: of the last full ISO week, of the month before, or of the day."""
    if kind is Kind.WEEKLY:
        week = (day - timedelta(days=day.weekday() + 1)).isocalendar()
        return f"{kind}:{week.year}-W{week.week:02}"
    if kind is Kind.MONTHLY:
        return f"{kind}:{day.replace(day=1) - timedelta(days=1):%Y-%m}"
    return f"{kind}:{day.isoformat()}"


def due(rules: Iterable[Rule], now: float, tz: tzinfo, done: Mapping[str, float]) -> tuple[Due, ...]:
    """All that is due and not done, in the order of their kinds; of each kind the newest only. now: wall seconds."""
    found = []
    for rule in sorted(rules, key=lambda each: list(Kind).index(each.kind)):
        newest = next(iter(reversed(_passed(rule, now, tz, rule.grace))), None)
        if newest is not None and newest.key not in done:
            found.append(newest)
    return tuple(found)


def turn(waiting: Sequence[Due], failed: Sequence[str]) -> Due | None:
    """Whose turn it is: what has not failed in its order, then what failed, that which failed last at the end."""
    fresh = [each for each in waiting if each.key not in failed]
    again = sorted((each for each in waiting if each.key in failed), key=lambda each: failed.index(each.key))
    return next(iter((*fresh, *again)), None)


def past(rules: Iterable[Rule], now: float, tz: tzinfo) -> dict[str, float]:
    """The keys with which a new store starts: whatever was due before is none of its business. Oldest first."""
    found = (each for rule in rules for each in _passed(rule, now, tz, BACK))
    return {each.key: each.at for each in sorted(found, key=lambda each: each.at)}


def settled(done: Mapping[str, float], task: Due, rules: Iterable[Rule], now: float, tz: tzinfo) -> dict[str, float]:
    """The keys after this report was made at `now`: its own and those of the days that it stands for, the newest KEPT of all."""
    missed = (each for rule in rules if rule.kind is task.kind for each in _passed(rule, now, tz, BACK))
    new = {each.key: now for each in missed if each.at < task.at and each.key not in done}
    after = [*done.items(), *new.items(), (task.key, now)]
    return dict(after[-KEPT:])


def since(done: Mapping[str, float], kind: Kind) -> float | None:
    """When the report of this kind before this one was made, wall seconds; None when that is not known."""
    return next((at for name, at in reversed(list(done.items())) if name.startswith(f"{kind}:")), None)


def stepped(done: Mapping[str, float], seconds: float) -> dict[str, float]:
    """After the wall clock was set: what was told before still lies before. Set forward, nothing may fall between two reports."""
    return {name: at + min(0.0, seconds) for name, at in done.items()}


def dump(done: Mapping[str, float]) -> str:
    """As JSON text, in the order of insertion."""
    return json.dumps(done, separators=(",", ":"))


def restore(text: str | None) -> dict[str, float] | None:
    """What `dump` wrote; None for anything else or nothing, which is then a new store."""
    try:
        found = json.loads(text or "")
        return {str(name): float(at) for name, at in found.items()} or None
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def _passed(rule: Rule, now: float, tz: tzinfo, days: int) -> list[Due]:
    """Every moment of this rule that is reached or passed, on the day of `now` or one of `days` before it; oldest first."""
    today = datetime.fromtimestamp(now, tz).date()
    found = []
    for back in range(days, -1, -1):
        day = today - timedelta(days=back)
        at = datetime.combine(day, rule.at, tz).timestamp()
        if rule.falls(day) and at <= now:
            found.append(Due(rule.kind, key(rule.kind, day), at))
    return found
