"""`status`: the fleet or one service, from the daemon or, without it, from the store."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from watchdog.cli import screen
from watchdog.cli.asking import call
from watchdog.cli.failures import UNREACHABLE, WRONG, Failure
from watchdog.cli.options import Asked, common
from watchdog.cli.place import OWN, Place, place
from watchdog.cli.stored import listed, opened, past, reading, segments_by_service, status_of_store
from watchdog.cli.views.frame import Frame
from watchdog.cli.views.service import LATELY, service_lines
from watchdog.cli.views.shapes import status_doc
from watchdog.cli.views.status import status_lines
from watchdog.cli.views.times import DAY
from watchdog.cli.watching import watching
from watchdog.errors import Refused, Unreachable, WatchdogError
from watchdog.model.incident import Incident
from watchdog.model.records import Segment
from watchdog.model.service import State
from watchdog.web.client import QUICK

WELL = frozenset({State.OK, State.STARTING, State.STOPPED})
"""States with which `--check` is content: a stop on purpose is no fault."""


@click.command()
@click.argument("service", required=False)
@click.option("--watch", is_flag=True, help="Redraw each second until Ctrl-C.")
@click.option("--check", is_flag=True, help="Exit 1 when a service is not well, or alerts do not arrive.")
@common
def status(asked: Asked, service: str | None, watch: bool, check: bool) -> None:
    """The fleet, or one SERVICE, as it is now.

    ● has its own state, ○ is blocked by another, on hold, stopped or not known. Without a daemon the last that was written
    down is shown, and said to be that.
    """
    where = place(asked)
    if service is not None:
        where.known(service)
    if watch and not asked.json and sys.stdout.isatty():
        watching(lambda frame: _lines(where, service, _doc(where, frame.now), frame), where.zone)
        return
    frame = screen.frame(where.zone)
    doc = _doc(where, frame.now)
    if service is not None:
        doc = {**doc, "services": [_entry(where, doc, service)]}
    if asked.json:
        screen.document(status_doc(doc))
    else:
        screen.lines(_lines(where, service, doc, frame))
    if check:
        _judge(doc, alone=service is not None)


def live_or_stored(where: Place, now: float, service: str | None = None) -> Mapping[str, Any]:
    """`status` of all, or of one service and then with `likely` and `before`; from the daemon, else from the store.

    The store's has `live: false`. Unreachable when there is neither.
    """
    try:
        answer: Mapping[str, Any] = call(where, "status", {"service": service} if service else None, timeout=QUICK)
    except (Unreachable, Refused) as error:
        try:
            with opened(where) as reader:
                return status_of_store(where, reader, now)
        except Failure as failure:
            raise Unreachable(f"{error}\nand {failure.message}") from error
    return answer


_doc = live_or_stored


def _entry(where: Place, doc: Mapping[str, Any], service: str) -> Mapping[str, Any]:
    for entry in doc["services"]:
        if entry["name"] == service:
            found: Mapping[str, Any] = entry
            return found
    if service in OWN:
        reason = f"it has no checks of its own; see: watchdogctl why {service}"
        return {"name": service, "state": State.UNKNOWN.value, "reason": reason}
    if where.settings is not None and service not in where.titles:
        raise where.stranger(service, (entry["name"] for entry in doc["services"]))
    raise Failure(f"the daemon does not know '{service}' (yet): watchdogctl reload")


def _lines(where: Place, service: str | None, doc: Mapping[str, Any], frame: Frame) -> list[str]:
    segments, incidents = _past(where, service, frame.now)
    if service is None:
        return status_lines(doc, segments_by_service(segments), frame)
    live = doc["daemon"].get("live", True)
    return service_lines(_entry(where, doc, service), segments, incidents, frame, live=live)


def _past(where: Place, service: str | None, now: float) -> tuple[Sequence[Segment], Sequence[Incident]]:
    """The last day; nothing when it cannot be read, which is no reason not to show what is now."""
    try:
        with reading(where) as reader:
            segments = past(reader, service, now - DAY)
            incidents = listed(reader.incidents(limit=10 * LATELY, service=service)) if service else []
            return segments, incidents
    except (Failure, WatchdogError):
        return (), ()


def _judge(doc: Mapping[str, Any], *, alone: bool) -> None:
    """alone: one service is asked about, and what concerns all of them is not its fault."""
    if not doc["daemon"].get("live", True):
        raise Failure("the daemon does not run; what it last wrote down is no proof of health", UNREACHABLE)
    ill = [entry["name"] for entry in doc["services"] if entry["state"] not in WELL or entry.get("parked")]
    daemon, alerts = doc["daemon"], doc["daemon"].get("alerts") or {}
    mute = not alone and (alerts.get("closed") or alerts.get("late_s"))
    if ill or mute or (daemon.get("config") or {}).get("errors") or daemon.get("playbooks"):
        click.get_current_context().exit(WRONG)
