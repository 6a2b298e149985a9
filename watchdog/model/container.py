"""What a Docker engine tells of a container, and what somebody beside us did to it (SPEC 5, step 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

DEPLOY = 600.0
"""Seconds for which a container that is gone is taken for a deploy under way (SPEC 5, step 2)."""


class Act(StrEnum):
    """The events that matter here, by the engine's own names. HEALTH: `health_status`, whatever it became."""

    KILL = "kill"
    DIE = "die"
    STOP = "stop"
    START = "start"
    RESTART = "restart"
    PAUSE = "pause"
    UNPAUSE = "unpause"
    OOM = "oom"
    CREATE = "create"
    DESTROY = "destroy"
    RENAME = "rename"
    HEALTH = "health_status"


@dataclass(frozen=True, slots=True)
class Happening:
    """One event of one container. at: wall seconds. nano: the engine's own time stamp, nanoseconds, to take no event twice.

    container: its id. name: the one it bears now; old: the one it bore before a rename. signal of a kill, code of a die.
    """

    at: float
    nano: int
    act: Act
    container: str
    name: str
    signal: int | None = None
    code: int | None = None
    old: str = ""


class Deed(StrEnum):
    """What a person, or a tool of theirs, did to a container. The last three leave it to them until they start it again."""

    RESTARTED = "restarted"
    RECREATED = "re-created"
    STOPPED = "stopped"
    PAUSED = "paused"
    REMOVED = "removed"

    @property
    def lasts(self) -> bool:
        return self in (Deed.STOPPED, Deed.PAUSED, Deed.REMOVED)


BY_DOCKER = "it ended by itself, made with --rm"
"""How a removal is told that nobody asked for when it came about."""


@dataclass(frozen=True, slots=True)
class ByHand:
    """A deed beside us. at: wall seconds. how: the commands or signals it was seen by. told: people heard of it."""

    deed: Deed
    at: float
    how: str = ""
    told: bool = False

    @property
    def words(self) -> str:
        """`stopped by hand (docker stop)`."""
        who = "by Docker" if self.how == BY_DOCKER else "by hand"
        return f"{self.deed} {who}" + (f" ({self.how})" if self.how else "")

    def is_missed(self, now: float, patience: float) -> bool:
        """It is gone for so many seconds, and nobody has heard of it."""
        return self.deed is Deed.REMOVED and not self.told and now - self.at >= patience - 1.0


@dataclass(frozen=True, slots=True)
class Found:
    """A container as the engine lists it, with what discovery may see of it.

    labels: those of ours, without their prefix. published: port inside to port of this host. address: on a bridge of this host.
    state: as the engine says it; a container that does not run has neither ports nor an address.
    """

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    published: Mapping[int, int] = field(default_factory=dict)
    host_network: bool = False
    address: str = ""
    state: str = "running"

    @property
    def runs(self) -> bool:
        return self.state in ("running", "paused")
