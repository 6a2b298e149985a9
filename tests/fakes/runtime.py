"""Fakes of `recovery.ports`: a bot, a clock, a journal and a leash that films hold in their hands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from recovery.errors import JournalUnavailable, StepError, StepFailed, Superseded
from recovery.model import Run, StepRecord
from recovery.ports import Life, Sight, Stacks, Stop, Usage, Vitals
from watchdog.clock import Clock
from watchdog.decisions.leash import Leash
from watchdog.simulation.virtual import VirtualLoop
from watchdog.simulation.virtual import run as run_virtually

T = TypeVar("T")

EPOCH = 1_772_390_400.0
"""Wall seconds at the beginning of a film: 2026-03-01 18:40 UTC."""


def play(film: Coroutine[Any, Any, T]) -> T:
    """Runs a film in virtual time: an hour of waiting takes no time, and nothing is left to chance."""
    return run_virtually(film, VirtualLoop())


def later(seconds: float, act: Callable[..., object], *args: object) -> None:
    """Something that happens in the film after so many seconds."""
    asyncio.get_running_loop().call_later(seconds, act, *args)


class FakeClock(Clock):
    """Wall and monotonic seconds of the loop of the film.

    step: how far somebody moved the wall clock. skip: for how long this process was suspended, without a timer that knew of it.
    """

    def __init__(self) -> None:
        self.step = 0.0
        self.skip = 0.0

    def now(self) -> float:
        return EPOCH + self.monotonic() + self.step

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time() + self.skip


STACK = "1 process, 1 thread; active in parse (bot.py:41)"


class Killed(BaseException):
    """The daemon was killed -9 here."""


class FakeRuntime:
    """One bot. takes: seconds per method. hangs: methods that never return. fails: what a method raises, each once, in order.

    memory: bytes. cpu: percent of one core; changed by `uses`.
    """

    kind = "process"
    hindsight = 0.0

    def __init__(self, clock: Clock, *, running: bool = True, ignores_term: bool = False) -> None:
        self.clock = clock
        self.ignores_term = ignores_term
        self.takes: dict[str, float] = {}
        self.hangs: set[str] = set()
        self.fails: dict[str, list[Exception]] = {}
        self.starts = 0
        self.deeds: list[str] = []
        self.log: list[str] = ["cycle done"]
        self.dies_after: float | None = None
        self.memory = 40_000_000
        self.cpu = 1.0
        self._spent, self._spent_at = 0.0, clock.monotonic()
        self._number = 0
        self._over = asyncio.Event()
        self.sight = Sight(Life.STOPPED)
        if running:
            self.boot(ago=86400.0)

    def boot(self, ago: float = 0.0) -> None:
        """A new instance runs, whoever started it."""
        self._number += 1
        self._over.set()
        self._over = asyncio.Event()
        self.sight = Sight(Life.RUNNING, f"i{self._number}", 1000 + self._number, self.clock.now() - ago)
        if self.dies_after is not None:
            later(self.dies_after, self.die, 1)

    def die(self, code: int | None = None, life: Life = Life.STOPPED) -> None:
        """Nothing runs any more."""
        self._over.set()
        self.sight = Sight(life, exit_code=code)

    async def look(self) -> Sight:
        await self._met("look")
        return self.sight

    async def gone(self, sight: Sight) -> None:
        await self._met("gone")
        if self.sight.instance == sight.instance:
            await self._over.wait()

    async def start(self) -> Sight:
        await self._met("start")
        if not self.sight.running:
            self.starts += 1
            self.deeds.append("start")
            self.boot()
        return self.sight

    async def stop(self, sight: Sight, grace: float, *, kill: bool = True) -> str:
        if self.sight.running and sight.instance != self.sight.instance:
            raise Superseded("another instance runs")
        self.deeds.append(f"stop {sight.instance}")
        await self._met("stop")
        if self.ignores_term:
            await self.clock.sleep(grace)
            if not kill:
                raise StepFailed(f"still alive {grace:g} s after SIGTERM")
        self.die(-9 if self.ignores_term else -15)
        return "killed" if self.ignores_term else "ended by SIGTERM"

    async def signal(self, sight: Sight, name: str) -> None:
        await self._met("signal")
        if sight.instance != self.sight.instance:
            raise Superseded("another instance runs")
        self.deeds.append(f"{name} {sight.instance}")

    async def log_tail(self, lines: int) -> Sequence[str]:
        await self._met("log_tail")
        return self.log[-lines:]

    def uses(self, cpu: float) -> None:
        """Percent of one core from now on."""
        self._spent, self._spent_at = self._cpu_seconds(), self.clock.monotonic()
        self.cpu = cpu

    def _cpu_seconds(self) -> float:
        return self._spent + self.cpu / 100 * (self.clock.monotonic() - self._spent_at)

    async def usage(self, sight: Sight) -> Usage | None:
        await self._met("usage")
        same = self.sight.running and sight.instance == self.sight.instance
        return Usage(self._cpu_seconds(), self.memory) if same else None

    async def stacks(self, sight: Sight) -> Stacks:
        await self._met("stacks")
        return Stacks(f"{STACK}\n\nMainThread (active)\n  parse (bot.py:41)", STACK)

    async def vitals(self, sight: Sight) -> Vitals:
        await self._met("vitals")
        return Vitals(cpu=99.0, memory=250_000_000, files=12, sockets=3, processes=2, state="R")

    async def _met(self, method: str) -> None:
        if method in self.hangs:
            await asyncio.Event().wait()
        if self.takes.get(method):
            await self.clock.sleep(self.takes[method])
        if self.fails.get(method):
            raise self.fails[method].pop(0)


class FakeJournal:
    """disk: each run as it was last written. rows: (kind, step id) in order. away: the store cannot be written.

    kill: the daemon dies at `(kind, step id)`: right after an intent is on disk, or before an outcome is.
    """

    def __init__(self) -> None:
        self.disk: dict[int, Run] = {}
        self.rows: list[tuple[str, str]] = []
        self.away = False
        self.kill: tuple[str, str] | None = None

    async def intent(self, run: Run, step: StepRecord) -> None:
        self._write("intent", run, step.id)
        self._kill("intent", step.id)

    async def outcome(self, run: Run, step: StepRecord) -> None:
        self._kill("outcome", step.id)
        self._write("outcome", run, step.id)
        self._kill("after", step.id)

    async def proving(self, run: Run) -> None:
        self._write("proving", run, "")
        self._kill("proving", "")

    async def ended(self, run: Run) -> None:
        self._kill("ended", "")
        self._write("ended", run, "")

    def _write(self, kind: str, run: Run, step: str) -> None:
        if self.away:
            raise JournalUnavailable("disk full")
        self.rows.append((kind, step))
        self.disk[run.id] = replace(run)

    def _kill(self, kind: str, step: str) -> None:
        if self.kill == (kind, step):
            raise Killed


class FakeLeash(Leash):
    """Calls a run back when the film says so."""

    def call(self, order: Stop, why: str = "told so") -> None:
        super().call(order, why)


class FakeOutside:
    """Commands and URLs. calls: what was asked for. fails: what the next call raises."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []
        self.fails: StepError | None = None

    async def run_command(self, name: str, service: str, timeout: float) -> str:
        return self._called("run_command", name)

    async def http_call(self, url: str, timeout: float) -> str:
        return self._called("http_call", url)

    def _called(self, kind: str, what: str) -> str:
        self.calls.append((kind, what))
        if self.fails is not None:
            raise self.fails
        return f"{what}: done"
