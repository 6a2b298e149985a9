"""What the loop of decisions sees of the world: Protocols, real in `hands.py`, fake in `simulation/`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Protocol, TypeVar

from recovery.model import Run
from watchdog.config.schema import Service
from watchdog.model.container import Happening
from watchdog.model.decision import Decision
from watchdog.model.incident import Incident
from watchdog.model.letter import Chat, Letter
from watchdog.model.observation import Observation
from watchdog.model.records import Audit, Entry, Evidence, Exit, Hold, Memory, Meta, Notice, Rollup, Segment
from watchdog.reports.gather import Records

T = TypeVar("T")

Record = (
    Segment | Rollup | Incident | Entry | Run | Decision | Exit | Hold | Notice | Letter | Chat | Evidence | Audit | Memory | Meta
)


Spawn = Callable[[Coroutine[Any, Any, None], str], None]
"""Runs a coroutine as a supervised task with a name."""

Keep = Callable[[Callable[[], Coroutine[Any, Any, None]], str], Coroutine[Any, Any, None]]
"""A loop that is begun again when it fails, under a name."""


class Prober(Protocol):
    """One question to one service, answered within its deadline; never raises."""

    async def ask(self, service: Service) -> Observation: ...


class Network(Protocol):
    """Our own way out. up: False only when none of `connectivity.targets` answers; without targets always True."""

    async def up(self) -> bool: ...


class Dock(Protocol):
    """One Docker engine, as far as decisions need it. Everything raises StepError kinds, within seconds."""

    async def ping(self) -> None: ...

    def happenings(self, since: float | None) -> AsyncIterator[Happening]:
        """What happens to containers from now on, before that what the engine remembers since `since` (wall seconds).

        It ends when the engine ends it.
        """
        ...

    async def forgot(self, moment: float) -> bool:
        """It remembers nothing from before that moment (wall seconds): it was started anew since, as far as can be told."""
        ...

    async def stopped_by_hand(self, name: str, before: float | None = None) -> bool | None:
        """The engine's own record of whether somebody stopped it; None when it cannot be read.

        before: wall seconds; what ended then or later was not stopped by anybody, whatever the record says.
        """
        ...

    def drop(self) -> None:
        """End what is being followed: it has been silent while the engine hangs."""
        ...


class Store(Protocol):
    """put: buffered, in order, for the next commit. commit: one transaction, durable when it returns.

    commit raises StoreUnavailable and keeps what was put, so that a later commit can still write it (bounded).
    """

    @property
    def lost(self) -> str:
        """One line about a file that became unusable while we ran and was begun anew; "" while that has not happened."""
        ...

    def put(self, record: Record) -> None: ...
    async def commit(self) -> None: ...


class Archive(Protocol):
    """Asks what is on disk beside the loop, which goes on meanwhile. Raises what the question raises, sqlite3.Error among it."""

    async def __call__(self, question: Callable[[Records], T]) -> T: ...


class Sender(Protocol):
    """Delivers one message; True once it is delivered."""

    async def send(self, notice: Notice) -> bool: ...


class Loaded(Protocol):
    """What the store remembers at start: what is open, and the last 24 hours. next_*: the first unused numbers."""

    @property
    def incidents(self) -> tuple[Incident, ...]: ...
    @property
    def runs(self) -> tuple[Run, ...]: ...
    @property
    def holds(self) -> tuple[Hold, ...]: ...
    @property
    def memories(self) -> tuple[Memory, ...]: ...
    @property
    def notices(self) -> tuple[Notice, ...]: ...
    @property
    def letters(self) -> tuple[Letter, ...]: ...
    @property
    def chats(self) -> tuple[Chat, ...]: ...
    @property
    def meta(self) -> dict[str, str]: ...
    @property
    def next_incident(self) -> int: ...
    @property
    def next_run(self) -> int: ...
    @property
    def next_notice(self) -> int: ...
