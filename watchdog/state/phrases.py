"""Rows of checks in words for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from watchdog.state.checks import Check

SHOWN = 3
"""Different findings named in one line."""


def counted(number: int, what: str) -> str:
    """`4 timeouts`, `1 timeout`, `3 × HTTP 500`, `refused`."""
    if what == "timeout":
        return "1 timeout" if number == 1 else f"{number} timeouts"
    if number == 1:
        return what
    return f"{number} × {what}"


def in_order(details: Iterable[str]) -> str:
    """What came after what: `2 timeouts, then refused`. The newest findings are named when there are too many."""
    rows = [counted(len(list(row)), what) for what, row in groupby(details)]
    left = len(rows) - SHOWN
    return ", then ".join(rows) if left <= 0 else "…, then " + ", then ".join(rows[-SHOWN:])


def by_number(details: Sequence[str]) -> str:
    """The most frequent first: `3 timeouts, 2 × HTTP 500`."""
    numbers = {what: details.count(what) for what in details}
    ranked = sorted(numbers, key=lambda what: (-numbers[what], what))
    text = ", ".join(counted(numbers[what], what) for what in ranked[:SHOWN])
    return text if len(ranked) <= SHOWN else f"{text}, …"


def finding(check: Check) -> str:
    """What one check found."""
    return check.detail or check.kind.value.replace("_", " ")


def times(number: int) -> str:
    """`once`, `twice`, `5 times in a row`."""
    return {1: "once", 2: "twice"}.get(number, f"{number} times in a row")
