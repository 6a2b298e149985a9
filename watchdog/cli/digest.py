"""`digest`: what happened since the last one, from the store."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, tzinfo

import click

from watchdog.cli import screen
from watchdog.cli.asking import call
from watchdog.cli.failures import Failure
from watchdog.cli.options import Asked, common
from watchdog.cli.place import Place, place
from watchdog.cli.stored import AnyReader, last_states, reading, titles_of
from watchdog.config.schema import Reports
from watchdog.errors import Refused, Unreachable
from watchdog.reports.digest import WEEK, as_json, day
from watchdog.reports.digest import digest as make
from watchdog.reports.digest_text import text
from watchdog.reports.material import Material
from watchdog.reports.planned import planned
from watchdog.reports.slow import slow_of
from watchdog.web.client import QUICK


@click.command()
@click.option("--date", "wanted", metavar="DATE", help="The digest due on that day, as 2026-08-16; default: up to now.")
@common
def digest(asked: Asked, wanted: str | None) -> None:
    """What happened since the last digest, on one screen."""
    where = place(asked)
    frame = screen.frame(where.zone)
    reports = where.settings.reports if where.settings else Reports()
    until = frame.now if wanted is None else min(_due(wanted, reports, where.zone), frame.now)
    period = day(until, where.zone, reports.digest)
    with reading(where) as reader:
        material = _material(where, reader, period)
    if wanted is None:
        material = replace(material, slow=_slow(where))
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


def _material(where: Place, reader: AnyReader, period: tuple[float, float]) -> Material:
    since, until = period
    past = until - 2 * WEEK
    segments = reader.segments(since=since)
    states = last_states(segments, until)
    titles = titles_of(where, states)
    if not titles:
        raise Failure("the configuration names no service, so there is nothing to report on")
    return Material(
        titles=titles,
        states=states,
        incidents=tuple(i for i in reader.incidents(since=past, limit=10_000) if i.opened_at <= until),
        runs=tuple(run for run in reader.runs(since=past) if run.started_at <= until),
        segments=segments,
        holds=reader.holds(ended=True),
        notices=reader.notices(since=since),
        planned=planned(where.settings.services.values(), where.zone, since, until) if where.settings else (),
    )


def _slow(where: Place) -> dict[str, str]:
    """Only the daemon knows what is slow now; without it the digest is silent about that."""
    try:
        return slow_of(call(where, "status", timeout=QUICK))
    except (Unreachable, Refused):
        return {}
