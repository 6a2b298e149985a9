"""What actions and the engine see of the world: Protocols, given through constructors, real or fake."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from recovery.model import Run, RunOutcome, StepRecord


class Life(StrEnum):
    """What a look at a target shows. BUSY: its supervisor is at work on it (restarting, stopping)."""

    RUNNING = "running"
    STOPPED = "stopped"
    BUSY = "busy"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Sight:
    """One look at a target.

    instance: an identity that no other instance ever has (process: `pid:start ticks:boot id`; container: `id@StartedAt`), "" when
    nothing runs. started_at: wall seconds. exit_code: of the last instance when it does not run and the code is known.
    supervised: it does not run, and somebody whose task it is may still start it. paused: it runs, frozen by somebody.
    """

    life: Life
    instance: str = ""
    pid: int | None = None
    started_at: float | None = None
    exit_code: int | None = None
    detail: str = ""
    supervised: bool = False
    paused: bool = False

    @property
    def running(self) -> bool:
        return self.life is Life.RUNNING

    @property
    def at_rest(self) -> bool:
        """Nothing runs and nobody is at work on it."""
        return self.life in (Life.STOPPED, Life.GONE)


@dataclass(frozen=True, slots=True)
class Vitals:
    """cpu: percent of one core over the life of the process tree. memory: bytes RSS of the tree.

    zombies: children of it that have ended and that it never collects. more: lines of what only this kind of runtime can tell.
    """

    cpu: float | None = None
    memory: int | None = None
    files: int | None = None
    sockets: int | None = None
    processes: int | None = None
    state: str = ""
    zombies: int = 0
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What a running target uses. cpu: seconds since some fixed moment, so that two readings tell a rate. memory: bytes now.

    limit: bytes of memory at which it is killed, None without one.
    """

    cpu: float
    memory: int
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Stacks:
    """What the threads of a running target do. text: all of it, for evidence. line: one line that names the busiest function."""

    text: str
    line: str


class Clock(Protocol):
    """Wall seconds for records, monotonic seconds for durations, and the only sleep."""

    def now(self) -> float: ...
    def monotonic(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...


class Runtime(Protocol):
    """One service's way of running. Every method has a hard deadline of its own and raises StepError kinds only."""

    kind: str

    hindsight: float
    """Seconds after an end until it is known whether somebody beside us meant it; 0 where nobody else can."""

    async def look(self) -> Sight:
        """Never guesses: an unreadable target is StepFailed."""
        ...

    async def gone(self, sight: Sight) -> None:
        """Returns when the instance of `sight` no longer runs (an event such as a readable pidfd; polling only as a fallback)."""
        ...

    async def start(self) -> Sight:
        """Idempotent: a running instance is adopted, leftovers are ended first. The new sight."""
        ...

    async def stop(self, sight: Sight, grace: float, *, kill: bool = True) -> str:
        """End the instance of `sight`, its whole tree, and prove death; a line about how. `grace` seconds before SIGKILL.

        Superseded: another instance runs. StepFailed: alive after the grace with kill=False, or after SIGKILL.
        """
        ...

    async def signal(self, sight: Sight, name: str) -> None:
        """One signal to the main process of exactly this instance."""
        ...

    async def log_tail(self, lines: int) -> Sequence[str]: ...

    async def vitals(self, sight: Sight) -> Vitals: ...

    async def usage(self, sight: Sight) -> Usage | None:
        """Cheap enough to be asked each few seconds for all; None when that instance does not run or cannot be measured.

        Of `sight` only the instance is read: who asks has not looked.
        """
        ...

    async def stacks(self, sight: Sight) -> Stacks:
        """Within 15 s, without locals, and the target runs on as before. StepImpossible, StepFailed: why there are none."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """A fresh check for the proof. good: as SPEC 4 defines it. text: one line. counts: False when it says nothing either way."""

    good: bool
    text: str
    counts: bool = True


class Outside(Protocol):
    """Commands and URLs of the configuration, by name. The result is one line for people."""

    async def run_command(self, name: str, service: str, timeout: float) -> str: ...
    async def http_call(self, url: str, timeout: float) -> str: ...


@dataclass(frozen=True, slots=True)
class Target:
    """The service as recovery sees it. Seconds. reload: ("signal", "HUP") or ("http", URL). observations: the last ones as text.

    commands: names a step may run. urls: URLs of the configuration that a step may call.
    """

    service: str
    title: str
    term_grace: float
    startup_grace: float
    interval: float
    proof: float
    reload: tuple[str, str] | None = None
    commands: frozenset[str] = frozenset()
    urls: frozenset[str] = frozenset()


class Stop(StrEnum):
    """Why a run must end at its next safe point."""

    HOLD = "held"
    BY_HAND = "by_hand"
    """Somebody has the target in hand with a tool of its own: nothing of ours follows, not even bringing it back."""
    SUPERSEDED = "superseded"
    CANCEL = "interrupted"
    REMOVED = "removed"


class Leash(Protocol):
    """How the core calls a run back. `wait` returns when `order` is set; asked at every safe point and while the engine waits."""

    @property
    def order(self) -> Stop | None: ...
    @property
    def why(self) -> str: ...
    async def wait(self) -> None: ...


class Journal(Protocol):
    """Durable before it returns. Raises JournalUnavailable; without an intent on disk no act begins."""

    async def intent(self, run: Run, step: StepRecord) -> None: ...
    async def outcome(self, run: Run, step: StepRecord) -> None: ...
    async def proving(self, run: Run) -> None: ...
    async def ended(self, run: Run) -> None: ...


@dataclass(frozen=True, slots=True)
class Context:
    """Everything an action may see and use.

    sight: the instance decided on, refreshed by the engine after each step of ours. previous: outcomes by step id.
    ask: one fresh check of the service. note: a soft line to people. keep: stores evidence with the incident (kind, text).
    recent: the last observations, newest last, one line each.
    """

    target: Target
    runtime: Runtime | None
    clock: Clock
    outside: Outside
    sight: Sight
    ask: Callable[[], Awaitable[Answer]]
    note: Callable[[str], None]
    keep: Callable[[str, str], None]
    recent: Callable[[], Sequence[str]]
    previous: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """An action's success: one line for people, and the sight it left behind when it changed the instance."""

    detail: str = ""
    sight: Sight | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """How an open run of an earlier life of the daemon was settled by looking (SPEC 7).

    go_on: index of the first step still to run, None when the run ended here with `outcome`.
    """

    run: Run
    go_on: int | None
    outcome: RunOutcome | None = None
    detail: str = ""
    refund: bool = False


Action = Callable[[Any, Context], Awaitable[Result]]
