"""What is kept of one counted check, and how many checks the windows over /health look back."""

from __future__ import annotations

from typing import NamedTuple

from watchdog.config.schema import Service
from watchdog.model.observation import FAILING, Kind, Report

KEPT = 10
"""Checks remembered one by one: the window of `flapping` (SPEC 4)."""


class Check(NamedTuple):
    """One counted check. at: wall seconds. errors: the error types it lists that are the service's own.

    A tuple, because hundreds are made in a second.
    """

    at: float
    kind: Kind
    detail: str = ""
    reason: str | None = None
    excused: bool = False
    errors: tuple[str, ...] = ()

    @property
    def failing(self) -> bool:
        return self.kind in FAILING


def own_errors(report: Report, service: Service) -> tuple[str, ...]:
    """The error types a report lists, once each, in its order.

    An error of a declared API or dependency is judged there (SPEC 4); one whose hourly count is zero is over.
    """
    types: dict[str, None] = {}
    for error in report.errors:
        if error.count_1h == 0 or (error.api is not None and (error.api in service.apis or error.api in service.depends_on)):
            continue
        types[error.type] = None
    return tuple(types)
