"""Reading the store: what was written down is readable with and without a daemon (SPEC 14)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from watchdog.cli.failures import Failure
from watchdog.cli.place import Place
from watchdog.cli.views.times import DAY, iso
from watchdog.model.incident import Incident, Stage, Tier
from watchdog.model.records import Hold, NoticeKind, Segment
from watchdog.model.service import State
from watchdog.state.store.open import NAME
from watchdog.state.store.reader import Reader

PAGES = 400 * DAY
"""How far back the last page is looked for, in seconds."""


@contextmanager
def reading(where: Place) -> Iterator[Reader]:
    """The store of this place; Failure in words when there is none or it cannot be read."""
    path = where.state / NAME
    try:
        if not path.exists():
            raise Failure(f"nothing was written down yet: {path} does not exist (has the daemon ever run?)")
        with Reader.open(path) as reader:
            yield reader
    except PermissionError as error:
        raise Failure(f"you may not read {path}: use sudo") from error
    except (OSError, sqlite3.Error) as error:
        raise Failure(f"the store {path} cannot be read: {error}") from error


def segments_by_service(segments: Sequence[Segment]) -> dict[str, list[Segment]]:
    by_service: dict[str, list[Segment]] = {}
    for segment in segments:
        by_service.setdefault(segment.service, []).append(segment)
    return by_service


def past(reader: Reader, service: str | None, since: float) -> list[Segment]:
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


def listed(incidents: Sequence[Incident]) -> list[Incident]:
    """Without blips that are over and without those folded into another one (SPEC 7)."""
    return [i for i in incidents if i.parent is None and (i.open or not i.blip)]


def status_of_store(where: Place, reader: Reader, now: float) -> dict[str, Any]:
    """`status` as far as the store knows it, with `live: false`."""
    segments = segments_by_service(past(reader, None, now - DAY))
    incidents = {i.service: i for i in reader.incidents(since=now) if i.open}
    holds = {hold.service: hold for hold in reader.holds() if hold.until > now}
    pages = [n.at for n in reader.notices(since=now - PAGES) if n.tier is Tier.CRITICAL and n.kind is NoticeKind.NEW]
    names = list(where.titles) or sorted({*segments, *(memory.service for memory in reader.services())})
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
            _service(name, where.title(name), segments.get(name, []), incidents.get(name), holds.get(name)) for name in names
        ],
    }


def _service(
    name: str, title: str, segments: Sequence[Segment], incident: Incident | None, hold: Hold | None
) -> Mapping[str, Any]:
    last = max(segments, key=lambda s: s.since, default=None)
    return {
        "name": name,
        "title": title,
        "state": (last.state if last else State.UNKNOWN).value,
        "since": iso(last.since) if last else None,
        "reason": (last.reason if last else "never asked") or None,
        "latency_ms": None,
        "blocked_by": incident.blocked_by if incident else None,
        "hold": {"until": iso(hold.until), "by": hold.by, "reason": hold.reason, "stop": hold.stop} if hold else None,
        "parked": incident is not None and incident.stage is Stage.PARKED,
        "incident": incident.id if incident else None,
        "stage": incident.stage.value if incident else None,
    }


def _written_at(where: Place) -> float | None:
    """When the daemon last wrote, by the files' own times."""
    times = []
    for name in (NAME, f"{NAME}-wal"):
        try:
            times.append((where.state / name).stat().st_mtime)
        except OSError:
            continue
    return max(times, default=None)
