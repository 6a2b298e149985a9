"""What a document tells beside its status: the fields of our own form, bounded and typed (SPEC 2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from math import isfinite
from typing import Any

from watchdog.model.observation import ErrorCount, Report
from watchdog.probing.lines import one_line

_MOST = 50
_FIELDS = frozenset(
    {"reason", "message", "output", "error", "uptime_s", "instance", "version", "progress", "queue", "errors", "metrics"}
)
_MACHINE_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,63}")


def read_report(data: Mapping[str, Any]) -> Report | None:
    """The report in a JSON document; None when it holds none of the fields. What has a wrong type or no bounds is left out.

    A `reason` that is a sentence and no machine word is a message.
    """
    if _FIELDS.isdisjoint(data):
        return None
    get = data.get
    reason = _text(get("reason"))
    spoken = _text(get("message") or get("output") or get("error"))
    if reason and not _MACHINE_WORD.fullmatch(reason):
        spoken, reason = spoken or reason, ""
    progress = get("progress")
    counter, age = (progress.get("counter"), progress.get("age_s")) if isinstance(progress, dict) else (progress, None)
    return Report(
        reason or None,
        spoken,
        number(get("uptime_s")),
        _word(get("instance")),
        _word(get("version")),
        number(counter),
        number(age),
        number(get("queue")),
        _errors(errors) if (errors := get("errors")) else (),
        _metrics(get("metrics")),
    )


def number(value: object) -> float | None:
    """A finite number; None for anything else, also for one that no float can hold."""
    if type(value) is float:
        return value if isfinite(value) else None
    if type(value) is not int:
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _text(value: object) -> str:
    return one_line(value) if value and isinstance(value, str) else ""


def _word(value: object) -> str | None:
    """A text, or a number as its text."""
    if value is None:
        return None
    if isinstance(value, str):
        return one_line(value) or None
    return repr(value) if number(value) is not None else None


def _errors(value: object) -> tuple[ErrorCount, ...]:
    if not isinstance(value, list):
        return ()
    rows = (row for row in value[:_MOST] if isinstance(row, dict))
    return tuple(
        ErrorCount(kind, _word(row.get("api")), number(row.get("count_1h")), _word(row.get("code")), _text(row.get("message")))
        for row in rows
        if (kind := _word(row.get("type")))
    )


def _metrics(value: object) -> dict[str, float]:
    metrics: dict[str, float] = {}
    if isinstance(value, dict):
        for name, amount in islice(value.items(), _MOST * 4):
            plain = number(amount)
            if plain is not None and name and len(metrics) < _MOST:
                metrics[one_line(name, 80)] = plain
    return metrics
