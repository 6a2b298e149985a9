"""`incidents`, `incident`, `ack`: what went wrong, all about one of them, and taking it over."""

from __future__ import annotations

import click

from watchdog.cli import screen
from watchdog.cli.asking import act
from watchdog.cli.failures import USAGE, WRONG, Failure
from watchdog.cli.options import Asked, Number, common, span
from watchdog.cli.place import place
from watchdog.cli.stored import AnyReader, listed, reading
from watchdog.cli.views.incident import Dossier, incident_lines
from watchdog.cli.views.incidents import incidents_lines
from watchdog.cli.views.shapes import dossier_doc, incident_doc
from watchdog.cli.views.text import plural
from watchdog.errors import Refused
from watchdog.model.incident import Incident
from watchdog.model.records import Evidence

WEEK = "7d"


@click.command()
@click.option("--since", metavar="TIME", default=WEEK, show_default=True, callback=span, help="How far back, as 24h or 30d.")
@click.option("--check", is_flag=True, help="Exit 1 when one of them is open.")
@common
def incidents(asked: Asked, since: float, check: bool) -> None:
    """What went wrong, newest first.

    Blips that were over before they were confirmed are not listed, and services blocked by another are part of its incident.
    """
    where = place(asked)
    frame = screen.frame(where.zone)
    with reading(where) as reader:
        found = listed(reader.incidents(since=frame.now - since))
        blocked = {incident.id: _blocked(reader, incident) for incident in found}
        docs = [incident_doc(i, reader.runs(incident=i.id), blocked[i.id], frame.now) for i in found] if asked.json else []
    if asked.json:
        screen.document(docs)
    else:
        screen.lines(incidents_lines(found, blocked, frame))
    if check and any(incident.open for incident in found):
        click.get_current_context().exit(WRONG)


@click.command()
@click.argument("number", metavar="ID", type=Number())
@common
def incident(asked: Asked, number: int) -> None:
    """Everything about one incident: what was seen and tried, evidence, messages."""
    where = place(asked)
    frame = screen.frame(where.zone)
    with reading(where) as reader:
        found = reader.incident(number)
        if found is None:
            raise Failure(_missing(reader, number), USAGE)
        evidence, withheld = _evidence(reader, number)
        dossier = Dossier(
            incident=found,
            title=where.title(found.service),
            runs=reader.runs(incident=number),
            timeline=reader.timeline(number),
            evidence=evidence,
            withheld=withheld,
            notices=reader.notices(incident=number),
            blocked=_blocked(reader, found),
        )
    if asked.json:
        if withheld:
            click.echo(withheld, err=True)
        screen.document(dossier_doc(dossier, frame.now))
    else:
        screen.lines(incident_lines(dossier, frame))


@click.command()
@click.argument("number", metavar="ID", type=Number())
@click.option("--false-alarm", is_flag=True, help="It was none: say so in the reports.")
@common
def ack(asked: Asked, number: int, false_alarm: bool) -> None:
    """Take incident ID over: no more sound, and no actions for it unless you ask."""
    act(asked, "ack", {"id": number, "false_alarm": false_alarm})


def _evidence(reader: AnyReader, number: int) -> tuple[tuple[Evidence, ...], str]:
    """What was kept of it; or why it is not shown to whoever asks."""
    try:
        return reader.evidence(number), ""
    except Refused as refused:
        return (), str(refused)


def _blocked(reader: AnyReader, incident: Incident) -> list[str]:
    """The services that wait for this one. Its own relapses are folded into it too, and block nobody."""
    return sorted({member.service for member in reader.members(incident.id)} - {incident.service})


def _missing(reader: AnyReader, number: int) -> str:
    """Which ones there are, for somebody who mistyped."""
    last = [i.id for i in listed(reader.incidents(limit=20))][:5]
    if not last:
        return f"there is no incident {number}; none was written down yet"
    return f"there is no incident {number}; the last {plural(len(last), 'one is', 'ones are')} {', '.join(map(str, last))}"
