"""A scenario as frozen values: what the world does and when, and what is expected of the product (SPEC 13)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from recovery.document import Document
from watchdog.alerts.answers import Answer
from watchdog.simulation.expectations import Expect


class Does(StrEnum):
    """How a bot meets a question when it does not answer with a document."""

    OK = "ok"
    HANG = "hang"
    REFUSE = "refuse"
    RESET = "reset"


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer to one check: either `does`, or a document with its HTTP code."""

    does: Does = Does.OK
    code: int | None = None
    body: bytes = b""
    media: str = "application/json"


class Verb(StrEnum):
    """What an operator can do in a scenario: the acting verbs of watchdogctl, and what people do with `docker` itself."""

    STOP = "stop"
    START = "start"
    HOLD = "hold"
    RESUME = "resume"
    ACK = "ack"
    RECOVER = "recover"
    APPROVE = "approve"
    REJECT = "reject"
    PAUSE = "pause"
    REMOVE = "remove"
    DEPLOY = "deploy"


@dataclass(frozen=True, slots=True)
class Operator:
    """seconds: for how long (`hold`, `stop`); None: the verb has no end or ends the hold."""

    verb: Verb
    service: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Process:
    """How the process is, or the container around it, and for how many seconds already. by_hand: a person made it so.

    status: running, exited, restarting, paused; "" leaves it as it is. policy: of a container, "" the one it has.
    """

    status: str = ""
    started_ago: float = 0.0
    by_hand: bool = False
    policy: str = ""

    @property
    def running(self) -> bool:
        return self.status in ("", "running", "paused")


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes different. services: a glob; None fields stay as they are. memory: bytes; cpu: percent of one core.

    replies: given in turn, over and over. exit: the process ends with this code; starved: killed for memory. docker: True while
    the engine answers. log: lines written. telegram: what it answers from now on.
    network, store: True while they work. crash: the daemon dies and is back after so many seconds, in another mode if `mode`
    names one. boot: the host boots, every process ends. clock: seconds by which the wall clock is set forward (or back).
    """

    services: str = ""
    replies: tuple[Reply, ...] = ()
    exit: int | None = None
    starved: bool = False
    docker: bool | None = None
    process: Process | None = None
    log: tuple[str, ...] = ()
    cpu: float | None = None
    memory: int | None = None
    zombies: int | None = None
    network: bool | None = None
    store: bool | None = None
    crash: float | None = None
    mode: str | None = None
    boot: bool = False
    clock: float | None = None
    telegram: Answer | None = None
    operator: Operator | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One line of `world`: at a moment, every so often until, or after an action of the product. Seconds.

    of: a glob, whose action it is for `after`; "" for the services of the change themselves, each for its own action.
    times: how often at most; None: always. takes: how long the fake action lasts. delay: from the action's end to the change.
    fail: the action does not succeed, and why. where: `file:line`.
    """

    change: Change
    at: float | None = None
    every: float | None = None
    until: float | None = None
    after: str | None = None
    of: str = ""
    times: int | None = None
    takes: float = 0.0
    delay: float = 0.0
    fail: str | None = None
    where: str = ""

    def moments(self, end: float) -> list[float]:
        """Seconds since the start at which it happens by time alone, up to `end`."""
        if self.every is not None:
            first, last = self.at or 0.0, min(end, self.until if self.until is not None else end)
            count = max(0, int((last - first) / self.every + 1e-9) + 1)
            return [first + number * self.every for number in range(count if self.times is None else min(count, self.times))]
        return [self.at] if self.at is not None and self.at <= end else []


@dataclass(frozen=True, slots=True)
class Scenario:
    """config: the mapping of `watchdog.yaml` with the fleet in it; config_path: the file instead. start: wall seconds.

    zone: what the host's zone is for a configuration that names none, as the offset of `start` says.
    """

    name: str
    document: Document
    until: float
    config: dict[str, object] | None = None
    config_path: Path | None = None
    start: float = 0.0
    zone: str = "UTC"
    seed: int = 0
    spread: bool = False
    events: tuple[Event, ...] = ()
    expects: tuple[Expect, ...] = ()
