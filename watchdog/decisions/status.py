"""The fleet as `watchdogctl status` shows it (SPEC 14), with what people see beside it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from watchdog.alerts.before import before
from watchdog.alerts.reach import Reach
from watchdog.decisions.fleet import DOCKER, Card, Fleet
from watchdog.decisions.suspects import suspects
from watchdog.model.service import State
from watchdog.symptoms.slow import detect


def status(
    fleet: Fleet, pid: int, last_page_at: float | None, reach: Reach, now: float, name: str | None = None
) -> dict[str, Any]:
    """`daemon` and `services` of SPEC 14; times ISO 8601 UTC with Z. now: wall seconds. name: only this service."""
    cards = [card for card in fleet if name is None or card.name == name]
    docker = [_docker(fleet)] if fleet.engines and name in (None, DOCKER) else []
    return {
        "daemon": {
            "pid": pid,
            "mode": str(fleet.settings.mode.value),
            "started_at": iso(fleet.started_at),
            "config": {"loaded_at": iso(fleet.config_loaded_at), "errors": list(fleet.config_errors)},
            "playbooks": list(fleet.playbook_errors),
            "live": True,
            "last_page_at": iso(last_page_at),
            "storm": sorted(fleet.storm.members) if fleet.storm is not None else [],
            "store": fleet.store_trouble,
            "alerts": _alerts(reach, now),
            "docker": [{"host": host, "since": iso(at)} for host, at in fleet.engines_down.items()],
        },
        "services": [*({**service(card, now), **(_grounds(fleet, card, now) if name else {})} for card in cards), *docker],
    }


def _alerts(reach: Reach, now: float) -> dict[str, Any]:
    """late_s: how long a critical message has waited beyond patience; 0.0: none has."""
    return {
        "waiting": reach.waiting,
        "critical": reach.critical,
        "late_s": round(reach.late(now), 1),
        "closed": [{"to": address, "why": why} for address, why in reach.closed.items()],
    }


def _grounds(fleet: Fleet, card: Card, now: float) -> dict[str, Any]:
    """Of one service that is asked about: what its incident likely comes from, and how often it was so before."""
    incident = card.incident
    if incident is None or incident.blip:
        return {"likely": [], "before": ""}
    return {
        "likely": list(suspects(fleet, card, incident, now)),
        "before": before(incident, card.past, card.runs, now),
    }


def _docker(fleet: Fleet) -> dict[str, Any]:
    """Docker, as the service that it is where others run in it."""
    incident = fleet.host.get(DOCKER)
    return {
        "name": DOCKER,
        "state": str(State.OK if incident is None else State.FAILING),
        "since": iso(fleet.started_at if incident is None else incident.opened_at),
        "reason": "" if incident is None else incident.reason,
        "latency_ms": None,
        "blocked_by": None,
        "hold": None,
        "parked": False,
        "next_at": None,
        "incident": incident.id if incident is not None else None,
        "title": "Docker",
        "stage": str(incident.stage) if incident is not None else None,
        "remark": "",
        "now": "",
    }


def service(card: Card, now: float) -> dict[str, Any]:
    """One service."""
    incident, last = card.incident, card.history.last
    stopped = card.hold is not None and card.hold.stop and card.history.running is False
    return {
        "name": card.name,
        "state": str(State.STOPPED if stopped else card.history.state),
        "since": iso(card.history.since),
        "reason": card.history.reason,
        "latency_ms": round(last.latency * 1000, 1) if last is not None and last.latency is not None else None,
        "blocked_by": incident.blocked_by if incident is not None else None,
        "hold": _hold(card),
        "parked": card.parking is not None,
        "next_at": iso(card.parking.next_at) if card.parking is not None else None,
        "incident": incident.id if incident is not None else None,
        "title": card.service.title,
        "stage": str(incident.stage) if incident is not None else None,
        "remark": last.remark if last is not None else "",
        "now": _now(card, now),
    }


def _hold(card: Card) -> dict[str, Any] | None:
    hold = card.hold
    if hold is None:
        return None
    return {"since": iso(hold.since), "until": iso(hold.until), "by": hold.by, "reason": hold.reason, "stop": hold.stop}


def _now(card: Card, now: float) -> str:
    active = card.active
    if active is None:
        slow = detect(card.history, card.service, now) if card.incident is None else None
        return f"slow: {slow.text}" if slow is not None else ""
    run, total = active.run, len(active.playbook.steps)
    if run.proving_at is not None:
        return f"{run.playbook}, waiting for proof"
    return f"{run.playbook}, step {max(1, min(len(run.steps), total))} of {total}"


def iso(at: float | None) -> str | None:
    """ISO 8601 UTC with Z, to the millisecond."""
    if not at:
        return None
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
