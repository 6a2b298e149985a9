"""`digest`: what happened since the last one, from the store."""

from __future__ import annotations

from datetime import date, datetime, tzinfo

import click

from watchdog.cli import screen
from watchdog.cli.asking import call
from watchdog.cli.failures import Failure
from watchdog.cli.options import Asked, common
from watchdog.cli.place import Place, place
from watchdog.cli.stored import last_states, reading, titles_of
from watchdog.config.schema import Reports
from watchdog.errors import Refused, Unreachable
from watchdog.reports.digest import as_json, day
from watchdog.reports.digest import digest as make
from watchdog.reports.digest_text import text
from watchdog.reports.gather import gather
from watchdog.reports.slow import slow_of
from watchdog.web.client import QUICK


@click.command()
@click.option("--date", "wanted", metavar="DATE", help="The digest due on that day, as 2026-08-16; default: up to now.")
@common
def digest(asked: Asked, wanted: str | None) -> None:
    """What happened since yesterday, on one screen. For a day of the past: as it was then, as far as it was written down."""
    where = place(asked)
    frame = screen.frame(where.zone)
    reports = where.settings.reports if where.settings else Reports()
    until = frame.now if wanted is None else min(_due(wanted, reports, where.zone), frame.now)
    period = day(until, where.zone, reports.digest)
    services = where.settings.services.values() if where.settings else ()
    slow = _slow(where) if wanted is None else {}
    with reading(where) as reader:
        titles = titles_of(where, last_states(reader.segments(since=period[0]), until))
        if not titles:
            raise Failure("the configuration names no service, so there is nothing to report on")
        material = gather(reader, titles, services, period, where.zone, slow)
    made = make(material, period, where.zone, (reports.night.start, reports.night.end), reports.manual_recovery)
    if asked.json:
        screen.document(as_json(made))
    else:
        screen.lines([text(made, where.zone)])


def _due(wanted: str, reports: Reports, zone: tzinfo) -> float:
    try:
        due = datetime.combine(date.fromisoformat(wanted), reports.digest, zone).timestamp()
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(f"'{wanted}' is no date, write for example 2026-08-16", param_hint="--date") from error
    if due <= 0:
        raise click.BadParameter(f"'{wanted}' is before anything was written down", param_hint="--date")
    return due


def _slow(where: Place) -> dict[str, str]:
    """Only the daemon knows what is slow now; without it the digest is silent about that."""
    try:
        return slow_of(call(where, "status", timeout=QUICK))
    except (Unreachable, Refused):
        return {}
