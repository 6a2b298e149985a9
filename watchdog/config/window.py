"""A maintenance window as it is written: `CRON for DURATION` (SPEC 3)."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, NamedTuple

from cronsim import CronSim, CronSimError
from pydantic import BeforeValidator, WithJsonSchema

from recovery.units import parse_duration

LONGEST = 31 * 86400.0
"""Seconds of one window at most: longer is no maintenance but a forgotten bot."""

_SAMPLE = datetime(2024, 1, 1, tzinfo=UTC)


class Window(NamedTuple):
    """cron: five fields in the configuration's timezone. seconds: how long each one lasts."""

    cron: str
    seconds: float


@lru_cache(maxsize=256)
def parse_window(text: str) -> Window:
    """`0 3 * * 1 for 30m` as a Window. Raises ValueError that says what to write."""
    cron, separator, length = text.rpartition(" for ")
    cron, length = " ".join(cron.split()), length.strip()
    if not separator or not cron:
        raise ValueError(f"'{text}' is no maintenance window, write for example '0 3 * * 1 for 30m'")
    if len(cron.split()) != 5:
        raise ValueError(f"'{cron}' has {len(cron.split())} fields, a cron line has five: minute, hour, day, month, weekday")
    seconds = parse_duration(length)
    if not 0 < seconds <= LONGEST:
        raise ValueError(f"'{length}': a maintenance window lasts longer than nothing and at most 31 days")
    try:
        next(CronSim(cron, _SAMPLE))
    except CronSimError as error:
        raise ValueError(f"'{cron}' is no cron line: {str(error).lower()}") from error
    except StopIteration:
        raise ValueError(f"'{cron}' never happens") from None
    return Window(cron, seconds)


def _windows(value: object) -> object:
    if isinstance(value, str):
        raise ValueError(f'write it as a list: ["{value}"]')
    if not isinstance(value, (list, tuple)):
        raise ValueError("write a list of 'CRON for DURATION'")
    return tuple(_window(item) for item in value)


def _window(value: object) -> Window:
    if isinstance(value, Window):
        return value
    if not isinstance(value, str):
        raise ValueError(f"'{value}' is no maintenance window, write for example '0 3 * * 1 for 30m'")
    return parse_window(value)


Windows = Annotated[
    tuple[Window, ...],
    BeforeValidator(_windows),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "string", "pattern": r"^\S+( \S+){4} for [0-9a-z.]+$", "examples": ["0 3 * * 1 for 30m"]},
        }
    ),
]
