"""The daily digest in words, for a phone and a terminal of 100 columns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

from recovery.units import format_duration
from watchdog.model.oneline import one_line
from watchdog.model.phrases import hour, moment
from watchdog.reports.digest import Digest, Line

SHOWN = 12
"""Lines of recoveries before the rest is counted."""

NAMED = 6
"""Names in one line before the rest is counted."""

ALIKE = 3
"""Recoveries of one service that went alike, from which they share one line."""

LONG = 26 * 3600.0
"""Seconds from which a period is longer than a day, also than the one on which the clocks go back, and a time needs its date."""

WIDTH = 100
"""Columns after which the figures go on in the next line."""

_BARS = "▁▂▃▄▅▆▇█"
_TITLE, _WHAT = 20, 34


def text(digest: Digest, tz: tzinfo, *, phone: bool = False) -> str:
    """What was healed and what waits; a quiet day is one line. phone: without columns, which a phone would break."""
    local = datetime.fromtimestamp(digest.until, tz)
    due = f" · late, was due {moment(digest.due, digest.until, tz)}" if digest.due is not None else ""
    head = f"☀ {local:%a} {local.day} {local:%b}{due}"
    long = digest.until - digest.since > LONG
    since = [f"Since the last one: {moment(digest.since, digest.until, tz)}"] if long else []
    since += [_unwatched(span, digest.until, tz) for span in digest.unwatched]
    if digest.quiet:
        quiet = "quiet since then" if long else "a quiet day"
        line = f"{head} · {digest.well} of {digest.total} ok · {quiet}{_blips(digest)}.{_last(digest)}"
        return "\n".join([line, *since])
    nights = f"{digest.nights_broken} {'night' if digest.nights_broken == 1 else 'nights'} broken"
    lines = [f"{head} · {digest.well} of {digest.total} ok now · {len(digest.healed)} healed, {nights}", *since]
    rows = _rows(sorted((*digest.healed, *digest.recovered), key=lambda each: each.at), digest.until, tz, dated=long)
    lines += _listed(rows) if phone else _columns(rows)
    lines += _paged(digest)
    if digest.person:
        lines.append("Needs you: " + ", ".join(_waiting(each, digest.until, tz) for each in digest.person))
    lines.append(f"On hold: {_names(digest.held)} · Parked: {_names(digest.parked)}{_stopped(digest)}")
    lines += _left(digest, tz)
    lines += [
        f"Worse: {one_line(each.title, 40)} heals {each.week} × a week, was {each.before} ×"
        + (f" ({each.mostly})" if each.mostly else "")
        for each in digest.worse
    ]
    lines += [f"Slow: {one_line(each.title, 40)} ({one_line(each.how, 80)})" for each in digest.slow]
    if sum(digest.hours) >= 3:
        lines.append(f"Hours: 00 {_strip(digest.hours)} 23")
    lines += _figures(digest)
    return "\n".join(lines)


Row = tuple[str, str, str, str]
"""When, who, what, how long."""


def _rows(lines: Sequence[Line], until: float, tz: tzinfo, *, dated: bool) -> list[Row]:
    """A row for each recovery, oldest first; those of one service that went alike are one, at the time of their last."""

    def when(at: float) -> str:
        return moment(at, until, tz) if dated else hour(at, tz)

    same: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        same.setdefault((line.service, line.what), []).append(line)
    rows = []
    for line in lines:
        alike = same[line.service, line.what]
        if len(alike) < ALIKE:
            rows.append((when(line.at), line.title, line.what, format_duration(line.duration)))
        elif line is alike[-1]:
            mean = format_duration(sum(each.duration for each in alike) / len(alike))
            first = when(alike[0].at)
            rows.append((when(line.at), line.title, line.what, f"×{len(alike)} since {first}, mean {mean}"))
    return rows


def _listed(rows: Sequence[Row]) -> list[str]:
    out = [f"{at} {one_line(title, 40)}: {one_line(what, 60)}, {span}" for at, title, what, span in rows[-SHOWN:]]
    return _and_before(rows, out)


def _columns(rows: Sequence[Row]) -> list[str]:
    if not rows:
        return []
    when = max(len(row[0]) for row in rows)
    width = min(_TITLE, max(len(row[1]) for row in rows))
    what = min(_WHAT, max(len(row[2]) for row in rows))
    out = [
        f"{at:<{when}}  {one_line(title, width):<{width}}  {one_line(how, what):<{what}}  {span}"
        for at, title, how, span in rows[-SHOWN:]
    ]
    return _and_before(rows, out)


def _and_before(rows: Sequence[Row], shown: list[str]) -> list[str]:
    return [f"… {len(rows) - SHOWN} more before", *shown] if len(rows) > SHOWN else shown


def _unwatched(span: tuple[float, float], until: float, tz: tzinfo) -> str:
    start, end = span
    stretch = f"{moment(start, until, tz)} to {moment(end, start, tz)}"
    return f"Not watched for {format_duration(end - start)} ({stretch}): the watchdog itself did not run"


def _paged(digest: Digest) -> list[str]:
    out = []
    for each in digest.paged:
        span = format_duration(each.duration)
        state = f"open for {span}" if each.open else f"over after {span}"
        out.append(f"Paged: {one_line(each.title, 40)} ({one_line(each.what, 60)}), {state} · incident {each.incident}")
    return out


def _waiting(line: Line, now: float, tz: tzinfo) -> str:
    return f"{one_line(line.title, 40)} ({one_line(line.what, 60)}, since {moment(line.at, now, tz)})"


def _names(titles: Sequence[str]) -> str:
    shown = ", ".join(one_line(title, 40) for title in titles[:NAMED])
    return f"{shown} and {len(titles) - NAMED} more" if len(titles) > NAMED else shown or "none"


def _stopped(digest: Digest) -> str:
    return f" · Stopped: {_names(digest.stopped)}" if digest.stopped else ""


def _left(digest: Digest, tz: tzinfo) -> list[str]:
    """What people took away and did not bring back; it is left alone until they do."""
    told = [
        f"{one_line(each.title, 40)} {one_line(each.how, 60)} since {moment(each.since, digest.until, tz)}"
        for each in digest.left
    ]
    return [f"Left alone: {_names(told)}"] if len(told) > NAMED else [f"Left alone: {each}" for each in told]


def _strip(hours: Sequence[int]) -> str:
    most = max(hours) or 1
    return "".join(_BARS[round(count / most * (len(_BARS) - 1))] for count in hours)


def _figures(digest: Digest) -> list[str]:
    parts = []
    if digest.uptime is not None:
        free = digest.uptime_unplanned
        planned = f" ({_percent(free)} without planned time)" if free is not None and abs(free - digest.uptime) >= 0.00005 else ""
        parts.append(f"Uptime {_percent(digest.uptime)}{planned}")
    if digest.mean_healed is not None:
        parts.append(f"mean {format_duration(digest.mean_healed)}")
    if digest.mean_all is not None and digest.mean_all != digest.mean_healed:
        mean = "" if digest.mean_healed is not None else "mean "
        parts.append(f"{mean}{format_duration(digest.mean_all)} with those we did not heal")
    if digest.saved >= 360:
        parts.append(f"{digest.saved / 3600:.1f} h saved this week")
    if digest.blips:
        parts.append(f"{digest.blips} {'blip' if digest.blips == 1 else 'blips'}")
    lines: list[str] = []
    for part in parts or ["No figures yet"]:
        if lines and len(lines[-1]) + len(part) + 3 <= WIDTH:
            lines[-1] += f" · {part}"
        else:
            lines.append(part)
    return lines


def _percent(share: float) -> str:
    """Never rounded up to 100 %: a second of trouble is not nothing."""
    return "100 %" if share >= 1 else f"{min(share * 100, 99.99):.2f} %"


def _blips(digest: Digest) -> str:
    return f" with {digest.blips} {'blip' if digest.blips == 1 else 'blips'}" if digest.blips else ""


def _last(digest: Digest) -> str:
    if digest.last_recovery is None:
        return " No recovery in two weeks."
    return f" Last recovery {format_duration(digest.until - digest.last_recovery)} ago."
