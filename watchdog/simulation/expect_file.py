"""Reads `expect`: one wish a line (docs/scenarios.md)."""

from __future__ import annotations

import math
from typing import Any

from recovery.problem import Path, quoted
from watchdog.simulation.expectations import ANY, KINDS, Expect
from watchdog.simulation.reading import Reading

_FIELDS = ("outcome", "tier", "reason", "text")
_KEYS = (*KINDS, "order", "service", "count", "at", *_FIELDS)
_NAMES = {
    "decision": ("wait", "heal", "escalate"),
    "alert": ("silent", "soft", "critical"),
    "edit": ("silent", "soft", "critical"),
    "effect": ("none", "reload", "restart", "destructive"),
    "state": ("ok", "degraded", "critical", "failing", "down", "starting", "stopped", "unknown"),
    "report": ("digest",),
}
"""Words of ours, so that a slip of the pen is no expectation that is always or never met."""


def expects(reading: Reading, value: object, path: Path) -> tuple[Expect, ...]:
    """Every wish that could be read; the others are among the problems."""
    found = (_expect(reading, item, (*path, number)) for number, item in enumerate(reading.items(value, path)))
    return tuple(each for each in found if each is not None)


def _expect(reading: Reading, value: object, path: Path) -> Expect | None:
    line = reading.mapping(value, path, _KEYS)
    kind = reading.one(line, path, (*KINDS, "order"), "what is expected") if line else None
    if kind is None:
        return None
    service = reading.text(line["service"], (*path, "service")) if "service" in line else ANY
    where, text = reading.where(path), _flow(line)
    if kind == "order":
        for key in ("count", "at", *_FIELDS):
            if key in line:
                reading.wrong((*path, key), f"'order' has no {quoted(key)}", key=True)
        names = enumerate(reading.items(line["order"], (*path, "order")))
        order = tuple(reading.text(name, (*path, "order", number)) for number, name in names)
        return Expect(kind, service=service, order=order, where=where, text=text)
    return Expect(
        kind,
        _name(reading, kind, line[kind], (*path, kind)),
        service,
        _count(reading, line["count"], (*path, "count")) if "count" in line else (1, math.inf),
        reading.pair(line["at"], (*path, "at"), reading.seconds) if "at" in line else None,
        {key: None if line[key] is None else reading.pattern(line[key], (*path, key)) for key in _FIELDS if key in line},
        where=where,
        text=text,
    )


def _name(reading: Reading, kind: str, value: object, path: Path) -> str:
    if kind in _NAMES:
        return reading.choice(value, path, (*_NAMES[kind], ANY)) or ANY
    return reading.text(value, path)


def _count(reading: Reading, value: object, path: Path) -> tuple[int, float]:
    if isinstance(value, list):
        return reading.pair(value, path, reading.whole) or (1, math.inf)
    exact = reading.whole(value, path)
    return exact, exact


def _flow(value: Any) -> str:
    """The line in one line, as it was written or nearly so."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return "null" if value is None else str(value)
