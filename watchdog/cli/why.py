"""`why`: for each step of the decision, why something was or was not done."""

from __future__ import annotations

import click

from watchdog.alerts.tiers import Facts, next_rise
from watchdog.cli import screen
from watchdog.cli.options import Asked, common
from watchdog.cli.place import OWN, Place, place
from watchdog.cli.status import live_or_stored
from watchdog.cli.stored import met, reading
from watchdog.cli.views.shapes import why_doc
from watchdog.cli.views.why import Question, why_lines
from watchdog.model.decision import Decision
from watchdog.model.incident import Incident, Tier
from watchdog.model.service import State

KEPT = 1000
"""Answers that are looked at with --all."""

RECENT = 50


@click.command()
@click.argument("service")
@click.option("--all", "everything", is_flag=True, help="Older answers too, each with all its steps.")
@common
def why(asked: Asked, service: str, everything: bool) -> None:
    """Why something was or was not done to SERVICE (also: host, docker).

    Each answer went through the steps host, operator, root, grace, terminal, budget, playbook: ✓ passed, → had
    the last word, · was not asked any more.
    """
    where = place(asked)
    where.known(service)
    frame = screen.frame(where.zone)
    with reading(where) as reader:
        met(where, reader, service, frame.now)
        decisions = list(reversed(reader.decisions(service, limit=KEPT if everything else RECENT)))
        incident = next((i for i in reader.incidents(since=frame.now, service=service) if i.open), None)
    if asked.json:
        screen.document(why_doc(decisions))
        return
    entry = _entry(where, service, frame.now)
    shown = decisions if everything else _current(decisions, incident)
    question = Question(entry, shown, incident, _page_at(where, incident), len(decisions) - len(shown))
    screen.lines(why_lines(question, frame, everything=everything))


def _entry(where: Place, service: str, now: float) -> dict[str, object]:
    asked = service if service in where.titles else None
    doc = live_or_stored(where, now, asked)
    for entry in doc["services"]:
        if entry["name"] == service:
            return dict(entry)
    # The host itself has no row while nothing is wrong with it.
    state = State.OK if service in OWN and doc["daemon"].get("live", True) else State.UNKNOWN
    return {"name": service, "state": state.value}


def _current(decisions: list[Decision], incident: Incident | None) -> list[Decision]:
    """The answers about the open incident; when all is well, those about the last one."""
    if not decisions:
        return []
    number = incident.id if incident is not None else decisions[-1].incident
    return [decision for decision in decisions if decision.incident == number]


def _page_at(where: Place, incident: Incident | None) -> float | None:
    """When this incident pages by its age alone, if it does (SPEC 11)."""
    if where.settings is None or incident is None or incident.tier is Tier.CRITICAL or incident.clock_at is None:
        return None
    limits, service = where.settings.alerts.tiers, where.settings.services.get(incident.service)
    pages = service is not None and service.thresholds.degraded_pages
    soft = next_rise(incident, limits, Facts(degraded_pages=pages))
    if soft is None or (incident.symptom == "degraded" and not pages):
        return None
    return incident.clock_at + limits.critical_after
