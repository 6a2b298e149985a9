"""How much of a period the services were up, with and without planned time (SPEC 12). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from watchdog.model.service import State
from watchdog.reports.material import Material

UP = frozenset({State.OK, State.DEGRADED})
"""A degraded bot works."""

ASIDE = frozenset({State.UNKNOWN, State.STARTING})
"""What counts neither way in a check counts neither way here."""

HOST = "host"
"""The service of its own whose unknown stretches are those in which the watchdog did not run."""

Span = tuple[float, float]


def shares(material: Material, service: str, since: float, until: float) -> tuple[float, float, float, float]:
    """Seconds (up, known, up outside planned time, known outside planned time) of one service between two moments."""
    blind = unwatched(material, since, until)
    planned = _without(_merged(_planned(material, service, since, until)), blind)
    up = known = free_up = free_known = 0.0
    for segment in material.segments:
        if segment.service != service or segment.state in ASIDE:
            continue
        start = max(since, segment.since)
        end = min(until, segment.until if segment.until is not None else until)
        if end <= start:
            continue
        # What nobody watched is known to nobody, whatever the state before it was.
        length = end - start - _overlap(blind, start, end)
        # A bot that was stopped on purpose is planned time by itself, whoever stopped it.
        free = 0.0 if segment.state is State.STOPPED else length - _overlap(planned, start, end)
        known += length
        free_known += free
        if segment.state in UP:
            up += length
            free_up += free
    return up, known, free_up, free_known


def uptime(material: Material, since: float, until: float) -> tuple[float | None, float | None]:
    """Shares 0 to 1 over all services: of all time, and without planned time; None when nothing is known."""
    sums = [0.0, 0.0, 0.0, 0.0]
    for service in material.titles:
        for number, value in enumerate(shares(material, service, since, until)):
            sums[number] += value
    return ratio(sums[0], sums[1]), ratio(sums[2], sums[3])


def unwatched(material: Material, since: float, until: float) -> tuple[Span, ...]:
    """The stretches of a period in which the watchdog itself did not run, oldest first."""
    gaps = (each for each in material.segments if each.service == HOST and each.state is State.UNKNOWN)
    cut = ((max(since, each.since), min(until, each.until if each.until is not None else until)) for each in gaps)
    return tuple(_merged(cut))


def ratio(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


def _planned(material: Material, service: str, since: float, until: float) -> Iterable[Span]:
    for hold in material.holds:
        if hold.service in (service, "*"):
            yield max(since, hold.since), min(until, hold.ended_at if hold.ended_at is not None else hold.until)
    for each in material.planned:
        if each.service == service:
            yield max(since, each.since), min(until, each.until)


def _merged(spans: Iterable[Span]) -> list[Span]:
    out: list[Span] = []
    for start, end in sorted(span for span in spans if span[1] > span[0]):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def _without(spans: Sequence[Span], holes: Sequence[Span]) -> list[Span]:
    """The spans less the holes. Both are sorted and do not overlap among themselves."""
    out: list[Span] = []
    for start, end in spans:
        for first, last in holes:
            if first < end and last > start:
                if first > start:
                    out.append((start, first))
                start = min(end, last)
        if end > start:
            out.append((start, end))
    return out


def _overlap(spans: Sequence[Span], start: float, end: float) -> float:
    return sum(max(0.0, min(end, b) - max(start, a)) for a, b in spans)
