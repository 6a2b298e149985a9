"""The daily digest as data: what was healed, what was given to people, what rots (SPEC 12). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Any

from recovery.model import Run, RunOutcome
from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.phrases import TITLES, WATCHED_ONLY, done, state_word
from watchdog.model.records import Hold
from watchdog.model.service import State
from watchdog.reports.material import Material
from watchdog.reports.nights import broken, is_page
from watchdog.reports.uptime import Span, unwatched, uptime

WEEK = 7 * 86400.0
WORSE_AT_LEAST = 3
"""Recoveries a week below which nobody need hear of a trend."""


@dataclass(frozen=True, slots=True)
class Line:
    """One recovery or page. at: wall seconds of its end (recovery) or of its first sign (page); duration: seconds."""

    at: float
    service: str
    title: str
    what: str
    duration: float
    incident: int
    outcome: str | None
    open: bool


@dataclass(frozen=True, slots=True)
class Worse:
    """A service that heals more and more often: counts of the last week and of the one before; `when`: the usual hours."""

    title: str
    service: str
    week: int
    before: int
    mostly: str


@dataclass(frozen=True, slots=True)
class Slow:
    """A service far from its usual pace (SPEC 4, `slow`); how: in words with numbers."""

    title: str
    service: str
    how: str


@dataclass(frozen=True, slots=True)
class Left:
    """A service that somebody took away beside us and has not brought back. how: `stopped by hand (docker stop)`."""

    title: str
    service: str
    how: str
    since: float


@dataclass(frozen=True, slots=True)
class Digest:
    """One period. Times wall seconds, durations seconds, uptime 0 to 1 or None; mean_all: healed by us or not.

    unwatched: stretches in which the watchdog itself did not run. due: when a late digest was due, None for one in time.
    """

    since: float
    until: float
    total: int
    well: int
    healed: tuple[Line, ...]
    recovered: tuple[Line, ...]
    paged: tuple[Line, ...]
    person: tuple[Line, ...]
    parked: tuple[str, ...]
    held: tuple[str, ...]
    stopped: tuple[str, ...]
    worse: tuple[Worse, ...]
    nights_broken: int
    blips: int
    uptime: float | None
    uptime_unplanned: float | None
    mean_healed: float | None
    mean_all: float | None
    hours: tuple[int, ...]
    saved: float
    last_recovery: float | None
    slow: tuple[Slow, ...] = ()
    left: tuple[Left, ...] = ()
    unwatched: tuple[Span, ...] = ()
    due: float | None = None

    @property
    def quiet(self) -> bool:
        """Nothing happened and nothing waits."""
        waits = (self.person, self.parked, self.held, self.stopped, self.left)
        busy = (self.healed, self.recovered, self.paged, *waits, self.worse, self.slow)
        return not any(busy) and self.well == self.total


def day(now: float, tz: tzinfo, at: time = time(8, 30)) -> tuple[float, float]:
    """The period of a digest made at `now`: from the last moment but one at which it was due, to `now`."""
    local = datetime.fromtimestamp(now, tz)
    due = local.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    return (due - timedelta(days=1 if due <= local else 2)).timestamp(), now


def digest(
    material: Material,
    period: tuple[float, float],
    tz: tzinfo,
    night: tuple[time, time] = (time(22), time(8)),
    manual: float = 2700.0,
) -> Digest:
    """manual: seconds that one recovery by hand costs a person. night: local start and end, over midnight when end <= start."""
    since, until = period
    listed = [each for each in material.incidents if not each.blip and each.parent is None]
    closed = [each for each in listed if each.closed_at is not None and since < each.closed_at <= until]
    healed = [each for each in closed if each.outcome is Outcome.HEALED]
    alone = [each for each in closed if each.outcome is Outcome.SELF_RECOVERED]
    mended = [each for each in closed if each.outcome in {Outcome.HEALED, Outcome.SELF_RECOVERED, Outcome.ESCALATED}]
    called = {n.incident for n in material.notices if is_page(n) and since < n.at <= until}
    paged = [
        each
        for each in listed
        if (each.tier is Tier.CRITICAL or each.id in called) and (each in closed or (each.open and each.opened_at <= until))
    ]
    share, free = uptime(material, since, until)
    week = [each for each in listed if each.outcome is Outcome.HEALED and until - WEEK < (each.closed_at or 0.0) <= until]
    return Digest(
        since=since,
        until=until,
        total=len(material.titles),
        well=sum(1 for name in material.titles if material.states.get(name) is State.OK),
        healed=_lines(material, healed, until),
        recovered=_lines(material, alone, until),
        paged=_lines(material, paged, until),
        person=_lines(material, [each for each in listed if _asks(each)], until),
        parked=_titles(material, (each.service for each in listed if each.stage is Stage.PARKED)),
        held=_holds(material, until, stop=False),
        stopped=_holds(material, until, stop=True),
        worse=_worse(material, listed, until, tz),
        nights_broken=broken(material.notices, period, tz, night),
        blips=sum(1 for each in material.incidents if each.blip and since < (each.closed_at or 0.0) <= until),
        uptime=share,
        uptime_unplanned=free,
        mean_healed=_mean([each.duration(until) for each in healed]),
        mean_all=_mean([each.duration(until) for each in mended]),
        hours=_hours([each for each in listed if since < each.opened_at <= until], tz),
        saved=sum(max(0.0, manual - each.duration(until)) for each in week),
        last_recovery=max((each.closed_at or 0.0 for each in listed if each.outcome is Outcome.HEALED), default=None),
        slow=tuple(Slow(_title(material, name), name, how) for name, how in sorted(material.slow.items())),
        left=_left(material, until),
        unwatched=unwatched(material, since, until),
    )


def as_json(digest: Digest) -> dict[str, Any]:
    """Times ISO 8601 UTC with Z, durations seconds (SPEC 14)."""
    out = asdict(digest)
    for key in ("since", "until", "last_recovery", "due"):
        out[key] = _iso(out[key])
    out["unwatched"] = [[_iso(moment) for moment in span] for span in digest.unwatched]
    for key in ("healed", "recovered", "paged", "person"):
        out[key] = [{**line, "at": _iso(line["at"]), "duration": round(line["duration"], 3)} for line in out[key]]
    out["left"] = [{**each, "since": _iso(each["since"])} for each in out["left"]]
    return {**out, "quiet": digest.quiet}


def _asks(incident: Incident) -> bool:
    """It waits for a person: given to one, or a question that only one can answer (`mode: approve`)."""
    return incident.stage is Stage.PERSON or (incident.stage is Stage.WAITING and incident.reason.startswith("approval:"))


def _lines(material: Material, incidents: Iterable[Incident], until: float) -> tuple[Line, ...]:
    lines = (
        Line(
            at=each.closed_at if each.closed_at is not None else each.opened_at,
            service=each.service,
            title=_title(material, each.service),
            what=_what(each, material.runs),
            duration=each.duration(until),
            incident=each.id,
            outcome=each.outcome.value if each.outcome is not None else None,
            open=each.open,
        )
        for each in incidents
    )
    return tuple(sorted(lines, key=lambda line: (line.at, line.incident)))


def _what(incident: Incident, runs: tuple[Run, ...]) -> str:
    """`not answering, restarted`: the symptom, and what helped or was tried; for a person the reason."""
    if incident.open and incident.reason.startswith(WATCHED_ONLY):
        return f"{state_word(incident.symptom)}, I can only watch it"
    if _asks(incident):
        return incident.reason or state_word(incident.symptom)
    mine = [run for run in runs if run.incident == incident.id]
    healer = next((run for run in reversed(mine) if run.outcome is RunOutcome.HEALED), None)
    if healer is not None and incident.outcome is Outcome.HEALED:
        return f"{state_word(incident.symptom)}, {done(healer)}"
    if incident.outcome is Outcome.SELF_RECOVERED:
        return f"{state_word(incident.symptom)}, well again by itself"
    tries = sum(1 for run in mine if run.touched)
    tried = f", {tries} {'try' if tries == 1 else 'tries'} did not help" if tries else ""
    return f"{state_word(incident.symptom)}{tried}"


def _holds(material: Material, now: float, *, stop: bool) -> tuple[str, ...]:
    active = [each for each in material.holds if each.stop is stop and _active(each, now)]
    names = ("every service" if each.service == "*" else each.service for each in active)
    return _titles(material, names)


def _left(material: Material, now: float) -> tuple[Left, ...]:
    """Stopped, and not through us: with `docker` itself."""
    ours = {each.service for each in material.holds if each.stop and _active(each, now)}
    last = {each.service: each for each in material.segments if each.since <= now and (each.until is None or each.until > now)}
    return tuple(
        Left(_title(material, name), name, last[name].reason, last[name].since)
        for name in sorted(material.titles)
        if name in last and name not in ours and last[name].state is State.STOPPED
    )


def _active(hold: Hold, now: float) -> bool:
    return hold.since <= now < hold.until and (hold.ended_at is None or hold.ended_at > now)


def _titles(material: Material, services: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({_title(material, name) for name in services}))


def _title(material: Material, service: str) -> str:
    return material.titles.get(service, TITLES.get(service, service))


def _worse(material: Material, listed: list[Incident], now: float, tz: tzinfo) -> tuple[Worse, ...]:
    """More than twice as many recoveries this week as the week before, and at least three."""
    out = []
    for name, title in material.titles.items():
        mine = [each for each in listed if each.service == name and each.outcome is Outcome.HEALED and each.closed_at is not None]
        week = [each for each in mine if now - WEEK < (each.closed_at or 0.0) <= now]
        last = [each for each in mine if now - 2 * WEEK < (each.closed_at or 0.0) <= now - WEEK]
        if len(week) >= WORSE_AT_LEAST and len(week) > 2 * len(last):
            out.append(Worse(title, name, len(week), len(last), _mostly(week, tz)))
    return tuple(sorted(out, key=lambda each: (-each.week, each.service)))


def _mostly(incidents: list[Incident], tz: tzinfo) -> str:
    """The symptom and the hour, where most of them agree."""
    parts = []
    symptoms = [each.symptom for each in incidents]
    common = max(sorted({each or "" for each in symptoms}), key=symptoms.count)
    if symptoms.count(common) >= 0.75 * len(incidents):
        parts.append(state_word(common))
    hours = _hours(incidents, tz)
    peak = max(range(24), key=lambda hour: hours[hour])
    if hours[peak] >= 0.75 * len(incidents):
        parts.append(f"mostly {peak:02}:00–{(peak + 1) % 24:02}:00")
    return ", ".join(parts)


def _hours(incidents: Iterable[Incident], tz: tzinfo) -> tuple[int, ...]:
    counts = [0] * 24
    for each in incidents:
        counts[datetime.fromtimestamp(each.opened_at, tz).hour] += 1
    return tuple(counts)


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _iso(wall: float | None) -> str | None:
    return None if wall is None else datetime.fromtimestamp(wall, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
