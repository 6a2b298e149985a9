"""The JSON of SPEC 14, name by name. Times are ISO 8601 UTC with Z, durations seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recovery.model import Run, StepRecord
from watchdog.cli.views.incident import Dossier
from watchdog.cli.views.times import iso
from watchdog.model.decision import Decision
from watchdog.model.incident import Incident
from watchdog.model.records import Segment

SERVICE_KEYS = ("name", "state", "since", "reason", "latency_ms", "blocked_by", "hold", "parked", "incident")


def status_doc(doc: Mapping[str, Any]) -> dict[str, Any]:
    """What the daemon told, without what it adds for people."""
    daemon = doc["daemon"]
    config = daemon.get("config") or {}
    return {
        "daemon": {
            "pid": daemon.get("pid"),
            "mode": daemon.get("mode"),
            "started_at": daemon.get("started_at"),
            "config": {"loaded_at": config.get("loaded_at"), "errors": list(config.get("errors") or [])},
        },
        "services": [{key: service.get(key) for key in SERVICE_KEYS} for service in doc["services"]],
    }


def incident_doc(incident: Incident, runs: Sequence[Run], blocked: Sequence[str], now: float) -> dict[str, Any]:
    """One entry of `incidents`."""
    return {
        "id": incident.id,
        "service": incident.service,
        "state": incident.stage.value,
        "reason": incident.reason,
        "symptom": incident.symptom,
        "cause": incident.cause,
        "blocked_by": incident.blocked_by,
        "parent": incident.parent,
        "opened_at": iso(incident.opened_at),
        "confirmed_at": iso(incident.confirmed_at),
        "closed_at": iso(incident.closed_at),
        "duration_s": round(incident.duration(now), 3),
        "outcome": incident.outcome.value if incident.outcome else None,
        "tier": incident.tier.value,
        "blocked": list(blocked),
        "runs": [_run(run) for run in runs],
    }


def dossier_doc(dossier: Dossier, now: float) -> dict[str, Any]:
    """`incident ID`: the entry of `incidents` with its timeline and its evidence, uncut."""
    return {
        **incident_doc(dossier.incident, dossier.runs, dossier.blocked, now),
        "timeline": [{"at": iso(e.at), "service": e.service, "kind": e.kind, "text": e.text} for e in dossier.timeline],
        "evidence": [
            {"at": iso(e.at), "service": e.service, "run": e.run, "kind": e.kind, "text": e.text} for e in dossier.evidence
        ],
    }


def why_doc(decisions: Sequence[Decision]) -> list[dict[str, Any]]:
    """Every ruling of every answer, oldest first; the last one of each `at` decided."""
    return [
        {
            "at": iso(decision.at),
            "step": ruling.step.value,
            "verdict": ruling.verdict.value,
            "reason": ruling.reason,
            "playbook": ruling.playbook,
        }
        for decision in decisions
        for ruling in decision.trail
    ]


def history_doc(segments: Sequence[Segment], now: float) -> list[dict[str, Any]]:
    """Stretches of one state, newest first."""
    return [
        {
            "state": segment.state.value,
            "since": iso(segment.since),
            "until": iso(segment.until),
            "duration_s": round((segment.until if segment.until is not None else now) - segment.since, 3),
            "reason": segment.reason,
        }
        for segment in sorted(segments, key=lambda s: s.since, reverse=True)
    ]


def _run(run: Run) -> dict[str, Any]:
    return {
        "playbook": run.playbook,
        "started_at": iso(run.started_at),
        "ended_at": iso(run.ended_at),
        "outcome": run.outcome.value if run.outcome else None,
        "steps": [_step(step) for step in run.steps],
    }


def _step(step: StepRecord) -> dict[str, Any]:
    return {"action": step.action, "outcome": step.outcome.value if step.outcome else None, "detail": step.detail}
