"""One scripted bot: whether its process runs, how it answers, and what is being done to it."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recovery.ports import Life, Sight
from watchdog.simulation.scenario import Does, Event, Reply

if TYPE_CHECKING:
    from watchdog.simulation.container import Box

LOG_LINES = 200
OLD = 86_400.0
"""Seconds for which a process runs already when a scenario does not say otherwise: a day."""

FIRST_PID = 1000


@dataclass(slots=True)
class Deed:
    """A step of a run while it acts on the bot. rules: the `after` lines it sets off. met: they delayed or failed it already."""

    key: tuple[int, int]
    action: str
    rules: tuple[Event, ...]
    met: bool = False


@dataclass(slots=True)
class Bot:
    """Mutable on purpose: this is the world, not a rule. started_at: wall seconds. number: of the instance, growing.

    box: the container around it, if it lives in one.
    cpu: percent of one core since `since` (seconds of the scenario); `spent`: seconds of CPU until then. memory: bytes.
    """

    name: str
    order: int
    started_at: float
    running: bool = True
    number: int = 1
    exit_code: int | None = None
    replies: tuple[Reply, ...] = (Reply(Does.OK),)
    turn: int = 0
    log: deque[str] = field(default_factory=lambda: deque(maxlen=LOG_LINES))
    cpu: float = 1.0
    memory: int = 40_000_000
    zombies: int = 0
    spent: float = 0.0
    since: float = 0.0
    deed: Deed | None = None
    box: Box | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)
    _sight: Sight | None = None

    @property
    def instance(self) -> str:
        """Never the same twice; nothing runs: empty."""
        return f"{self.name}#{self.number}" if self.running else ""

    def reply(self) -> Reply:
        """The next answer of the cycle."""
        reply = self.replies[self.turn % len(self.replies)]
        self.turn += 1
        return reply

    def answers(self, replies: tuple[Reply, ...]) -> None:
        self.replies, self.turn = replies, 0

    @property
    def silent(self) -> bool:
        """Frozen: it answers nothing, and is none the worse for it."""
        return self.box is not None and self.box.paused

    def uses(self, cpu: float, at: float) -> None:
        """So much CPU from now on. at: seconds of the scenario, on which the wall clock has no influence."""
        self.spent, self.since, self.cpu = self.cpu_seconds(at), at, cpu

    def cpu_seconds(self, at: float) -> float:
        """What it has used since the scenario began, all its instances together."""
        return self.spent + self.cpu / 100 * (at - self.since)

    def sight(self) -> Sight:
        """Raises StepFailed while whoever would know does not answer."""
        boxed = self.box.sight(self) if self.box is not None else None
        if boxed is not None:
            return boxed
        if self.silent:
            pid = FIRST_PID + self.order * 100 + self.number
            return Sight(Life.RUNNING, self.instance, pid, self.started_at, paused=True)
        if self._sight is None:
            pid = FIRST_PID + self.order * 100 + self.number
            self._sight = (
                Sight(Life.RUNNING, self.instance, pid, self.started_at)
                if self.running
                else Sight(Life.STOPPED, exit_code=self.exit_code)
            )
        return self._sight

    def begin(self, now: float) -> None:
        """A new instance."""
        if self.running:
            return
        self.running, self.number, self.started_at, self.exit_code, self.zombies = True, self.number + 1, now, None, 0
        self._sight, self.over = None, asyncio.Event()
        if self.box is not None:
            self.box.begun(self)

    def end(self, code: int | None) -> None:
        """Its process is gone, and every question to it with it."""
        if not self.running:
            return
        self.running, self.exit_code, self._sight = False, code, None
        self.over.set()
        if self.box is not None:
            self.box.ended(self, code)

    def aged(self, started_at: float) -> None:
        """The same instance, started at another time: only a beginning of a scenario can say so."""
        self.started_at, self._sight = started_at, None
