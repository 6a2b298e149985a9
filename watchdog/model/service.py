"""The state of a service as people see it (SPEC 14, `status`)."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """`failing`: checks fail; `down`: its process does not run; `unknown`: never asked, could not ask, or misconfigured."""

    OK = "ok"
    DEGRADED = "degraded"
    CRITICAL = "critical"
    FAILING = "failing"
    DOWN = "down"
    STARTING = "starting"
    STOPPED = "stopped"
    UNKNOWN = "unknown"
