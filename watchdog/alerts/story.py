"""Everything that a message may tell about one incident, gathered by the caller into frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo

from recovery.model import Run
from watchdog.model.incident import Incident


@dataclass(frozen=True, slots=True)
class Story:
    """now: wall seconds. title: of the service. saw: what checks and looks found, oldest first, one line each, repeats included.

    runs: of this incident, oldest first. needs: its dependencies and how they are (`Postgres is ok`). blocked: titles of services
    that wait for this one. log: last errors and log lines, newest last. likely: guesses with their grounds, the best first.
    before: how often in 30 days and what helped. next: what happens next and when. host: CPU, memory and disk in words. why: the
    rule that made it so loud. Empty texts are left out.
    """

    title: str
    incident: Incident
    now: float
    tz: tzinfo
    saw: tuple[str, ...] = ()
    runs: tuple[Run, ...] = ()
    needs: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    likely: tuple[str, ...] = ()
    before: str = ""
    next: str = ""
    host: str = ""
    why: str = ""
    evidence: bool = False

    @property
    def service(self) -> str:
        return self.incident.service


@dataclass(frozen=True, slots=True)
class Storm:
    """Many services that turned bad at one moment. within: seconds. common: what they share, one line each."""

    bad: int
    total: int
    within: float
    since: float
    incident: int
    tz: tzinfo
    now: float
    common: tuple[str, ...] = ()
    likely: str = ""
    every: float = 60.0


@dataclass(frozen=True, slots=True)
class Question:
    """A run that waits for a person's yes (`mode: approve`). expires_at: wall seconds."""

    title: str
    service: str
    run: int
    playbook: str
    summary: str
    incident: int
    expires_at: float
    tz: tzinfo
    now: float
    reason: str = ""
