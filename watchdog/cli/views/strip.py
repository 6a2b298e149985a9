"""A day in a row of blocks: the worst that an hour held, the oldest on the left.

`▇` well · `▃` degraded, starting, or bad for less than a minute · `▁` bad · `–` stopped on purpose · `·` nothing known
"""

from __future__ import annotations

from collections.abc import Sequence

from watchdog.model.records import Segment
from watchdog.model.service import State
from watchdog.reports.material import Material
from watchdog.reports.uptime import ratio, shares

GOOD, SOSO, BAD, STOPPED, NOTHING = "▇", "▃", "▁", "–", "·"
LEGEND = "▇ ok  ▃ degraded, or bad under 1 min  ▁ bad  – stopped  · not known"
"""Short enough to stand under a strip in 80 columns."""

HOURS = 24
BLIP = 60.0
"""Seconds: a shorter bad stretch that is over is drawn as a dent, not as a hole."""

_BAD = frozenset({State.FAILING, State.DOWN, State.CRITICAL})
_SOSO = frozenset({State.DEGRADED, State.STARTING})


def strip(segments: Sequence[Segment], end: float, cells: int = HOURS, cell: float = 3600.0) -> str:
    """`cells` blocks of `cell` seconds each, up to `end` (wall seconds). segments: of one service, in any order."""
    start = end - cells * cell
    spans = [(start + index * cell, start + (index + 1) * cell) for index in range(cells)]
    return "".join(_block(segments, low, high, end) for low, high in spans)


def _block(segments: Sequence[Segment], low: float, high: float, end: float) -> str:
    seen: dict[State, float] = {}
    for segment in segments:
        lasts = segment.until is None
        until = end if segment.until is None else segment.until
        overlap = min(high, until) - max(low, segment.since)
        if overlap > 0 or (lasts and low <= segment.since <= high):
            # What is bad right now is no dent, however short it has been.
            seen[segment.state] = seen.get(segment.state, 0.0) + (BLIP if lasts and segment.state in _BAD else max(0.0, overlap))
    bad = sum(seconds for state, seconds in seen.items() if state in _BAD)
    if bad >= BLIP:
        return BAD
    if bad > 0 or seen.keys() & _SOSO:
        return SOSO
    if State.OK in seen:
        return GOOD
    return STOPPED if State.STOPPED in seen else NOTHING


def uptime(service: str, segments: Sequence[Segment], since: float, until: float) -> float | None:
    """The share of the known time, without what was stopped on purpose, in which the service was up; None: nothing is known."""
    _, _, up, known = shares(Material(titles={service: service}, segments=tuple(segments)), service, since, until)
    return ratio(up, known)
