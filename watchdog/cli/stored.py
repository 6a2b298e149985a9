"""Reading the store: what was written down is readable with and without a daemon (SPEC 14).

The file is read by those who may; for the others of the socket's group the daemon reads it out (SPEC 15).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from watchdog.cli.failures import Failure
from watchdog.cli.place import OWN, Place
from watchdog.cli.views.times import DAY, iso
from watchdog.errors import Unreachable
from watchdog.model.incident import Incident, Stage, Tier
from watchdog.model.records import Hold, Memory, NoticeKind, Segment
from watchdog.model.service import State
from watchdog.state.store.open import NAME
from watchdog.state.store.reader import Reader
from watchdog.web.client import Client
from watchdog.web.remote import RemoteReader

AnyReader = Reader | RemoteReader

PAGES = 400 * DAY
"""How far back the last page is looked for, in seconds."""


@contextmanager
def reading(where: Place) -> Iterator[AnyReader]:
    """The store of this place, by its file or through the daemon; Failure in words when neither can be."""
    if _forbidden(where.state / NAME):
        yield _remote(where)
        return
    with opened(where) as reader:
        yield reader


@contextmanager
def opened(where: Place) -> Iterator[Reader]:
    """The file itself; Failure in words when there is none or it cannot be read."""
    path = where.state / NAME
    if _forbidden(path):
        raise Failure(f"you may not read {path}: use sudo")
    try:
        if not path.exists():
            raise Failure(f"nothing was written down yet: {path} does not exist (has the daemon ever run?)")
        with Reader.open(path) as reader:
            yield reader
    except (OSError, sqlite3.Error) as error:
        raise Failure(f"the store {path} cannot be read: {error}") from error


def _forbidden(path: Path) -> bool:
    """SQLite does not tell this from other reasons."""
    try:
        path.open("rb").close()
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def _remote(where: Place) -> RemoteReader:
    client = Client(where.socket)
    try:
        client.call("ping")
    except Unreachable as silence:
        raise Failure(f"you may not read {where.state / NAME}, and {silence}") from silence
    return RemoteReader(client)


def segments_by_service(segments: Sequence[Segment]) -> dict[str, list[Segment]]:
    by_service: dict[str, list[Segment]] = {}
    for segment in segments:
        by_service.setdefault(segment.service, []).append(segment)
    return by_service


def past(reader: AnyReader, service: str | None, since: float) -> list[Segment]:
    """The stretches since then. One that began while a person had stopped the service is `stopped`, whatever was seen."""
    stops = [(h.service, h.since, h.ended_at if h.ended_at is not None else h.until) for h in reader.holds(ended=True) if h.stop]
    if not stops:
        return list(reader.segments(service, since=since))
    return [
        replace(segment, state=State.STOPPED) if segment.state is State.DOWN and _within(segment, stops) else segment
        for segment in reader.segments(service, since=since)
    ]


def _within(segment: Segment, stops: Sequence[tuple[str, float, float]]) -> bool:
    return any(name == segment.service and begun <= segment.since <= ended for name, begun, ended in stops)


def met(where: Place, reader: AnyReader, service: str, now: float) -> None:
    """Failure for a name of which neither the file nor the store has ever heard: labels of containers name services too."""
    if where.settings is None or service in where.titles or service in OWN or reader.segments(service, since=now - PAGES):
        return
    raise where.stranger(service, (segment.service for segment in reader.segments(since=now - DAY)))


def last_states(segments: Iterable[Segment], at: float) -> dict[str, State]:
    """The state of each service at that moment."""
    return {s.service: s.state for s in segments if s.since <= at and (s.until is None or s.until > at)}


def titles_of(where: Place, seen: Iterable[str]) -> dict[str, str]:
    """Title by name: of the file's services, and of those of `seen` that labels made to services."""
    by_labels = where.settings is not None and where.settings.discovery is not None
    return {**where.titles, **{name: name for name in seen if by_labels and name not in OWN and name not in where.titles}}


def listed(incidents: Sequence[Incident]) -> list[Incident]:
    """Without blips that are over and without those folded into another one (SPEC 7)."""
    return [i for i in incidents if i.parent is None and (i.open or not i.blip)]


def status_of_store(where: Place, reader: Reader, now: float) -> dict[str, Any]:
    """`status` as far as the store knows it, with `live: false`."""
    segments = segments_by_service(past(reader, None, now - DAY))
    incidents = {i.service: i for i in reader.incidents(since=now) if i.open}
    holds = {hold.service: hold for hold in reader.holds() if hold.until > now}
    attempts = {memory.service: _attempt_at(memory) for memory in reader.services()}
    pages = [n.at for n in reader.notices(since=now - PAGES) if n.tier is Tier.CRITICAL and n.kind is NoticeKind.NEW]
    names = list(titles_of(where, last_states(past(reader, None, now - DAY), now))) or sorted({*segments, *attempts})
    return {
        "daemon": {
            "pid": None,
            "mode": where.settings.mode.value if where.settings else None,
            "started_at": None,
            "config": {"loaded_at": None, "errors": list(where.problems)},
            "live": False,
            "seen_at": iso(_written_at(where)),
            "last_page_at": iso(max(pages, default=None)),
        },
        "services": [
            _service(name, where.title(name), segments.get(name, []), incidents.get(name), holds.get(name), attempts.get(name))
            for name in names
        ],
    }


def _service(
    name: str, title: str, segments: Sequence[Segment], incident: Incident | None, hold: Hold | None, attempt_at: float | None
) -> Mapping[str, Any]:
    last = max(segments, key=lambda s: s.since, default=None)
    parked = incident is not None and incident.stage is Stage.PARKED
    return {
        "name": name,
        "title": title,
        "state": (last.state if last else State.UNKNOWN).value,
        "since": iso(last.since) if last else None,
        "reason": (last.reason if last else "never asked") or None,
        "latency_ms": None,
        "blocked_by": incident.blocked_by if incident else None,
        "hold": {"until": iso(hold.until), "by": hold.by, "reason": hold.reason, "stop": hold.stop} if hold else None,
        "parked": parked,
        "next_at": iso(attempt_at) if parked else None,
        "incident": incident.id if incident else None,
        "stage": incident.stage.value if incident else None,
    }


def _attempt_at(memory: Memory) -> float | None:
    """When a parked service gets its next attempt, as it was remembered."""
    try:
        return float(json.loads(memory.doc)["parking"]["next_at"])
    except (ValueError, KeyError, TypeError):
        return None


def _written_at(where: Place) -> float | None:
    """When the daemon last wrote, by the files' own times."""
    times = []
    for name in (NAME, f"{NAME}-wal"):
        try:
            times.append((where.state / name).stat().st_mtime)
        except OSError:
            continue
    return max(times, default=None)
