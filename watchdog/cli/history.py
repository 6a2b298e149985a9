"""`history`: the states of a service over time."""

from __future__ import annotations

import click

from watchdog.cli import screen
from watchdog.cli.options import Asked, common, span
from watchdog.cli.place import place
from watchdog.cli.stored import met, past, reading
from watchdog.cli.views.history import history_lines
from watchdog.cli.views.shapes import history_doc


@click.command()
@click.argument("service")
@click.option("--since", metavar="TIME", default="30d", show_default=True, callback=span, help="How far back, as 24h or 7d.")
@common
def history(asked: Asked, service: str, since: float) -> None:
    """The states of SERVICE over time, newest first."""
    where = place(asked)
    where.known(service)
    frame = screen.frame(where.zone)
    with reading(where) as reader:
        met(where, reader, service, frame.now)
        segments = past(reader, service, frame.now - since)
    if asked.json:
        screen.document(history_doc(segments, frame.now))
    else:
        screen.lines(history_lines(service, segments, frame))
