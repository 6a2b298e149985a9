"""One service in the settings: how it is asked, how it runs, what it needs (SPEC 3)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.dataclasses import dataclass

from watchdog.config.amounts import OfCore, Size
from watchdog.config.container import NamedContainer
from watchdog.config.fields import (
    EMPTY,
    Address,
    Count,
    Environment,
    Flag,
    HealthMap,
    Patience,
    Period,
    ReloadSignal,
    Seconds,
    Tempo,
    Threshold,
    Url,
    Words,
    shared,
)
from watchdog.config.window import Windows

STRICT = ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True, hide_input_in_errors=True)

TICK = 0.1
"""Seconds. Checks are asked in ticks of this length (SPEC 2)."""


class Edge(StrEnum):
    """What a dependency means: `needs` it, or must also restart with it."""

    NEEDS = "needs"
    RESTART_WITH = "restart_with"


def _edges(value: object) -> object:
    """A list means `needs` for each."""
    if isinstance(value, str):
        raise ValueError(f"write it as a list: [{value}]")
    if not isinstance(value, (list, tuple)):
        return value
    edges: dict[str, Edge] = {}
    for name in value:
        if not isinstance(name, str):
            raise ValueError(f"'{name}' is no name of a service")
        if name in edges:
            raise ValueError(f"'{name}' is named twice")
        edges[name] = Edge.NEEDS
    return edges


Dependencies = Annotated[
    Mapping[str, Edge],
    BeforeValidator(_edges),
    AfterValidator(shared),
    WithJsonSchema(
        {
            "oneOf": [
                {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
                {"type": "object", "additionalProperties": {"enum": [edge.value for edge in Edge]}},
            ]
        }
    ),
]


@dataclass(frozen=True, slots=True, config=STRICT)
class Defaults:
    """What every service has unless it says otherwise."""

    interval: Tempo = Field(default=30.0, description="from one check to the next")
    timeout: Period = Field(default=30.0, description="deadline of one check; at most the interval less one tick")
    retry: Tempo | None = Field(default=None, description="from a failing check to the next; null: the interval")
    startup_grace: Seconds = Field(default=30.0, description="how long /health may be ill after a start")
    term_grace: Seconds = Field(default=10.0, description="from SIGTERM to SIGKILL")
    healthy: Count = Field(default=2, description="good answers in a row that prove health")


@dataclass(frozen=True, slots=True, config=STRICT)
class Probe:
    """How a service is asked: exactly one of http, tcp, docker, process, exec."""

    http: Url | None = Field(default=None, description="URL of its /health, asked with GET")
    tcp: Address | None = Field(default=None, description="host:port that must accept a connection")
    docker: Flag = Field(default=False, description="true: it is well while its container runs and Docker does not say unhealthy")
    process: Flag = Field(default=False, description="true: it is well while its process runs")
    exec: str | None = Field(default=None, description="name in `commands`; exit code 0 is well")
    map: HealthMap = Field(
        default_factory=lambda: EMPTY,
        description="where the answer holds what: our name (status, reason, message, ...) to a path like service.status.state",
    )

    def __post_init__(self) -> None:
        if [bool(self.http), bool(self.tcp), self.docker, self.process, bool(self.exec)].count(True) != 1:
            raise ValueError("needs exactly one of http, tcp, docker: true, process: true, exec")
        if self.map and not self.http:
            raise ValueError("'map' needs an http probe")

    @property
    def kind(self) -> str:
        """`http`, `tcp`, `docker`, `process` or `exec`."""
        if self.http or self.tcp:
            return "http" if self.http else "tcp"
        return "docker" if self.docker else "process" if self.process else "exec"


@dataclass(frozen=True, slots=True, config=STRICT)
class Process:
    """A plain process that the watchdog starts and stops."""

    start: tuple[str, ...] = Field(min_length=1, description="the program and its arguments; no shell")
    pidfile: Path | None = Field(default=None, description="file in which it keeps its own pid")
    cwd: Path | None = Field(default=None, description="folder it is started in; default /")
    env: Environment = Field(
        default_factory=lambda: EMPTY, description="its environment: text, or {file:}, {env:}, {credential:}"
    )
    user: str | None = Field(default=None, min_length=1, description="user it runs as; default the daemon's")


@dataclass(frozen=True, slots=True, config=STRICT)
class Runtime:
    """How a service runs: exactly one of process, docker. Without one it is watched and alerted only."""

    process: Process | None = Field(default=None, description="a plain process")
    docker: NamedContainer | None = Field(default=None, description="a Docker container: its name, or {name, host}")

    def __post_init__(self) -> None:
        if (self.process is None) == (self.docker is None):
            raise ValueError("needs exactly one of process, docker")

    @property
    def kind(self) -> str:
        """`process` or `docker`."""
        return "process" if self.process is not None else "docker"


@dataclass(frozen=True, slots=True, config=STRICT)
class Spinning:
    """How much CPU for how long is a sign of a spin (SPEC 4, `cpu_spin`)."""

    above: OfCore = Field(default=90.0, description="percent of one core, of its whole process tree")
    for_: Period = Field(default=300.0, validation_alias="for", description="for so long, without progress")


@dataclass(frozen=True, slots=True, config=STRICT)
class Swollen:
    """How much memory for how long is too much (SPEC 4, `memory`)."""

    above: Size = Field(default=800_000_000, description="resident memory of its whole process tree")
    for_: Period = Field(default=300.0, validation_alias="for", description="for so long")


@dataclass(frozen=True, slots=True, config=STRICT)
class Thresholds:
    """From checks to symptoms (SPEC 4)."""

    unresponsive: Patience = Field(default=Threshold(count=4), description="failing checks in a row, or a time")
    degraded: Count = Field(default=3, description="degraded answers in a row")
    degraded_restart: Flag = Field(default=True, description="false: a degraded service is never restarted")
    degraded_pages: Flag = Field(default=False, description="true: a degraded incident may become critical by age")
    cpu: Spinning | None = Field(default=Spinning(), description="CPU without progress; null: never judged")
    memory: Swollen | None = Field(default=Swollen(), description="too much memory; null: never judged")


@dataclass(frozen=True, slots=True, config=STRICT)
class Reload:
    """How a service reads its settings anew without a restart: exactly one."""

    signal: ReloadSignal | None = Field(default=None, description="signal to its main process, for example HUP")
    http: Url | None = Field(default=None, description="URL asked with POST")

    def __post_init__(self) -> None:
        if bool(self.signal) == bool(self.http):
            raise ValueError("needs exactly one of signal, http")

    @property
    def pair(self) -> tuple[str, str]:
        """("signal", "HUP") or ("http", URL)."""
        return ("signal", self.signal) if self.signal else ("http", self.http or "")


@dataclass(frozen=True, slots=True, config=STRICT)
class Service:
    """One watched thing. Timing fields not written in the file come from `defaults`."""

    name: str = Field(description="the key under `services`")
    probe: Probe = Field(description="how it is asked")
    title: str = Field(default="", description="its name for people; default its name")
    labels: Words = Field(default_factory=lambda: EMPTY, description="free words that playbooks select by")
    runtime: Runtime | None = Field(default=None, description="how it runs; without it: watched and alerted only")
    depends_on: Dependencies = Field(
        default_factory=lambda: EMPTY, description="services it needs; a list, or {name: needs|restart_with}"
    )
    apis: tuple[str, ...] = Field(default=(), description="outside APIs it uses, names of `apis`")
    thresholds: Thresholds = Field(default=Thresholds(), description="from checks to symptoms")
    logs: tuple[Path, ...] = Field(default=(), description="log files beside its own output")
    reload: Reload | None = Field(default=None, description="how it reads its settings anew")
    maintenance: Windows = Field(default=(), description="'CRON for DURATION': nothing is done to it meanwhile")
    interval: Tempo = Field(default=30.0, description="from one check to the next")
    timeout: Period = Field(default=30.0, description="deadline of one check; at most the interval less one tick")
    retry: Tempo | None = Field(default=None, description="from a failing check to the next; null: the interval")
    startup_grace: Seconds = Field(default=30.0, description="how long /health may be ill after a start")
    term_grace: Seconds = Field(default=10.0, description="from SIGTERM to SIGKILL")
    healthy: Count = Field(default=2, description="good answers in a row that prove health")

    def __post_init__(self) -> None:
        if not self.title:
            object.__setattr__(self, "title", self.name)

    @property
    def deadline(self) -> float:
        """Seconds one check may take: a hanging check never delays the next (SPEC 2)."""
        return min(self.timeout, self.interval - TICK)
