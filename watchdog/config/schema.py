"""The settings, typed and frozen: default and doc stand beside each field (SPEC 3).

The models are frozen dataclasses with slots, checked by pydantic (small: there may be ten thousand services); change one with
`dataclasses.replace`, which checks it again. Names are the keys of the file. Durations are seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field
from pydantic.dataclasses import dataclass

from watchdog.config.container import DOCKER_SOCKET, Container, Socket
from watchdog.config.fields import (
    EMPTY,
    Account,
    Budget,
    Clock,
    Count,
    Hours,
    Night,
    Period,
    PerTime,
    Reachable,
    Seconds,
    Share,
    Span,
    Threshold,
    as_clock,
    as_night,
)
from watchdog.config.secrets import Secret
from watchdog.config.service import (
    STRICT,
    TICK,
    Defaults,
    Edge,
    Probe,
    Process,
    Reload,
    Runtime,
    Service,
    Thresholds,
)
from watchdog.config.telegram import ChatPlace, Fallback, Telegram
from watchdog.config.window import Window

__all__ = [
    "TICK",
    "Alerts",
    "Api",
    "Budget",
    "ChatPlace",
    "Command",
    "Connectivity",
    "Container",
    "Control",
    "Defaults",
    "Discovery",
    "Edge",
    "Fallback",
    "Guards",
    "Mode",
    "Night",
    "Probe",
    "Process",
    "Reload",
    "Reports",
    "Runtime",
    "Secret",
    "Service",
    "Settings",
    "Silent",
    "State",
    "Storm",
    "Telegram",
    "Threshold",
    "Thresholds",
    "Tiers",
    "Window",
]


class Mode(StrEnum):
    """observe: sees and reports everything, touches nothing, starts nothing."""

    HEAL = "heal"
    OBSERVE = "observe"


@dataclass(frozen=True, slots=True, config=STRICT)
class State:
    """Where the daemon keeps what must survive it."""

    dir: Path = Field(default=Path("/var/lib/bot-watchdog"), description="folder of the store, logs of processes and the lock")
    keep: Span = Field(default=90 * 86400.0, description="how long history is kept")


@dataclass(frozen=True, slots=True, config=STRICT)
class Api:
    """An outside API that services use: a name that excuses the part of an answer that bears it; there is nothing to set."""


@dataclass(frozen=True, slots=True, config=STRICT)
class Tiers:
    """When a message is silent, soft or critical (SPEC 11)."""

    silent_below: Period = Field(default=180.0, description="healed sooner: silent")
    critical_after: Period = Field(default=900.0, description="not healed by then: critical")
    repeats_per_hour: Count = Field(default=3, description="more of the same in an hour: critical")

    def __post_init__(self) -> None:
        if self.silent_below > self.critical_after:
            raise ValueError("'silent_below' must not be longer than 'critical_after'")


class Silent(StrEnum):
    """log: a line in the log. muted: a message without sound."""

    LOG = "log"
    MUTED = "muted"


@dataclass(frozen=True, slots=True, config=STRICT)
class Alerts:
    """When and how people hear of it."""

    telegram: Telegram | None = Field(default=None, description="the bot that tells people; without it messages go to the log")
    fallback: Fallback | None = Field(default=None, description="another way for what is critical")
    tiers: Tiers = Field(default=Tiers(), description="silent, soft, critical")
    silent: Silent = Field(default=Silent.LOG, description="how what is silent is told: log, or muted (a message without sound)")

    def __post_init__(self) -> None:
        if self.fallback is not None and self.telegram is None:
            raise ValueError("'fallback' is another way beside 'telegram', which is not set")
        if self.fallback is not None and self.telegram is not None:
            chats = {chat.id for chat in self.telegram.chats}
            if self.fallback.chat in chats:
                raise ValueError(f"chat {self.fallback.chat} is among 'telegram.chats' already, it is no other way")


@dataclass(frozen=True, slots=True, config=STRICT)
class Reports:
    """The daily digest."""

    digest: Clock = Field(default=as_clock("08:30"), description="time of day of the digest")
    night: Hours = Field(default=as_night("22:00-08:00"), description="the hours in which nobody wants to be woken")
    manual_recovery: Period = Field(default=2700.0, description="what one recovery by hand costs a person")


@dataclass(frozen=True, slots=True, config=STRICT)
class Storm:
    """Many at once: nothing is restarted (SPEC 5)."""

    share: Share = Field(default=0.5, description="this share of all services turned bad, and ...")
    at_least: Count = Field(default=4, description="... at least this many")
    or_: Count = Field(default=20, validation_alias="or", description="or this many, whatever their share")
    within: Period = Field(default=60.0, description="in this time")


@dataclass(frozen=True, slots=True, config=STRICT)
class Guards:
    """What keeps healing from doing harm (SPEC 5)."""

    concurrent: Count = Field(default=4, description="runs at a time")
    settle: Seconds = Field(default=30.0, description="nothing is healed so long after a start of daemon or host")
    reconnect: Seconds = Field(default=60.0, description="how long dependents may need after a dependency came back")
    proof: Period = Field(default=180.0, description="how long a healed service has to prove its health")
    cooldown: Seconds = Field(default=300.0, description="between two runs of one playbook on one service")
    budget: PerTime = Field(default=Budget(3, 3600.0), description="restarts of one service, then it is parked")
    rearm_after: Period = Field(default=3600.0, description="one more attempt for a parked service, then 2, 4 ... 24 h")
    storm: Storm = Field(default=Storm(), description="many at once: nothing is restarted")


@dataclass(frozen=True, slots=True, config=STRICT)
class Connectivity:
    """Is it our own network?"""

    targets: tuple[Reachable, ...] = Field(
        default=(), description="URLs or host:port; empty: never assume that our network is down"
    )


@dataclass(frozen=True, slots=True, config=STRICT)
class Command:
    """A program that probes and playbooks may run by name."""

    argv: tuple[str, ...] = Field(min_length=1, description="the program and its arguments; no shell")
    user: str | None = Field(default=None, min_length=1, description="user it runs as; default the daemon's")


@dataclass(frozen=True, slots=True, config=STRICT)
class Control:
    """The socket of watchdogctl."""

    socket: Path = Field(default=Path("/run/bot-watchdog/control.sock"), description="path of the unix socket")
    admins: tuple[Account, ...] = Field(default=(), description="users beside root who may act: names or numbers")


@dataclass(frozen=True, slots=True, config=STRICT)
class Discovery:
    """Containers that ask by their labels to be watched."""

    docker: Socket = Field(description="unix socket of the Docker engine whose containers are looked through")


def _discovery(value: object) -> object:
    """The word alone means the usual engine."""
    return {"docker": DOCKER_SOCKET} if value == "docker" else value


@dataclass(frozen=True, slots=True, config=STRICT)
class Settings:
    """The whole configuration."""

    services: Mapping[str, Service] = Field(description="what is watched")
    mode: Mode = Field(default=Mode.HEAL, description="observe: sees and reports everything, touches nothing, starts nothing")
    timezone: str = Field(default="UTC", description="zone of clock times, for example Asia/Tashkent; default the host's")
    language: Literal["en"] = Field(default="en", description="language of messages")
    state: State = Field(default=State(), description="where the daemon keeps what must survive it")
    defaults: Defaults = Field(default=Defaults(), description="what every service has unless it says otherwise")
    apis: Mapping[str, Api] = Field(default_factory=lambda: EMPTY, description="outside APIs that services use, NAME: {}")
    alerts: Alerts = Field(default=Alerts(), description="when and how people hear of it")
    reports: Reports = Field(default=Reports(), description="the daily digest")
    guards: Guards = Field(default=Guards(), description="what keeps healing from doing harm")
    connectivity: Connectivity = Field(default=Connectivity(), description="is it our own network?")
    commands: Mapping[str, Command] = Field(
        default_factory=lambda: EMPTY, description="programs that probes and playbooks may run by name"
    )
    discovery: Annotated[Discovery | None, BeforeValidator(_discovery)] = Field(
        default=None, description="docker: containers with the label bot-watchdog.enable=true are watched too"
    )
    playbooks: tuple[Path, ...] = Field(
        default=(Path("playbooks"),), description="folders or files of playbooks beside the built-in ones"
    )
    control: Control = Field(default=Control(), description="the socket of watchdogctl")
