"""A Docker engine of films: it says what the film makes it say; and a person at its command line, who knows no watchdog."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from recovery.errors import StepFailed
from recovery.ports import Life
from tests.fakes.runtime import FakeRuntime
from watchdog.clock import Clock
from watchdog.model.container import Act, Happening


class FakeDock:
    """`decisions/ports.Dock`. up: it answers. record: its own word on who was stopped by hand; ended: when, by its own word.

    opened: with which `since` its stream was asked for. takes: seconds for an answer.
    """

    def __init__(self, clock: Clock) -> None:
        self.up = True
        self.record: dict[str, bool | None] = {}
        self.ended: dict[str, float] = {}
        self.opened: list[float | None] = []
        self.pings = 0
        self.takes = 0.0
        self._clock = clock
        self._said: list[Happening] = []
        self._news = asyncio.Event()
        self._open = 0

    async def ping(self) -> None:
        self.pings += 1
        if self.takes:
            await self._clock.sleep(self.takes)
        if not self.up:
            raise StepFailed("timed out")

    async def happenings(self, since: float | None) -> AsyncIterator[Happening]:
        await self.ping()
        self.opened.append(since)
        self._open += 1
        mine, last = self._open, len(self._said)
        for each in [each for each in self._said if since is not None and each.nano >= round(since * 1e9) - 200]:
            yield each
        while mine == self._open:
            while last < len(self._said):
                last += 1
                yield self._said[last - 1]
            await self._news.wait()

    async def forgot(self, moment: float) -> bool:
        await self.ping()
        return not any(each.at < moment for each in self._said)

    async def stopped_by_hand(self, name: str, before: float | None = None) -> bool | None:
        await self.ping()
        if before is not None and self.ended.get(name, 0.0) >= before:
            return False
        return self.record.get(name)

    def fall(self) -> None:
        """The engine ends, and forgets what happened."""
        self.up = False
        self._said.clear()
        self.drop()

    def drop(self) -> None:
        """The stream ends, as when it was cut."""
        self._open += 1
        self._stir()

    def says(
        self, act: Act, name: str = "bot", *, cid: str = "c1", signal: int | None = None, code: int | None = None, old: str = ""
    ) -> None:
        """An event, heard by whoever listens and remembered for whoever comes later."""
        now = self._clock.now()
        nano = max(round(now * 1e9), self._said[-1].nano + 1 if self._said and self._said[-1].at == now else 0)
        self._said.append(Happening(now, nano, act, cid, name, signal, code, old))
        self._stir()

    def _stir(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


class Person:
    """Somebody at `docker`, with the gaps that were measured between the events of one command."""

    def __init__(self, clock: Clock, dock: FakeDock, runtime: FakeRuntime, name: str = "bot") -> None:
        self.clock, self.dock, self.runtime, self.name, self.id = clock, dock, runtime, name, "c1"

    def _says(self, act: Act, *, signal: int | None = None, code: int | None = None, old: str = "") -> None:
        self.dock.says(act, self.name, cid=self.id, signal=signal, code=code, old=old)

    async def _ends(self, signal: int, code: int) -> None:
        self._says(Act.KILL, signal=signal)
        await self.clock.sleep(0.04)
        await self.dies(code)

    async def dies(self, code: int) -> None:
        """By itself, or by a signal from the host: nothing but a die."""
        self.runtime.die(code)
        self._says(Act.DIE, code=code)

    async def stop(self) -> None:
        await self._ends(15, 0)
        self.dock.record[self.name] = True
        await self.clock.sleep(0.01)
        self._says(Act.STOP)

    async def kill(self, signal: int = 9, code: int = 137) -> None:
        await self._ends(signal, code)
        self.dock.record[self.name] = True

    async def start(self) -> None:
        self.runtime.boot()
        self.dock.record[self.name] = False
        self._says(Act.START)

    async def restart(self) -> None:
        running = self.runtime.sight.running
        if running:
            await self.stop()
            await self.clock.sleep(0.1)
        await self.start()
        self._says(Act.RESTART)

    async def pause(self) -> None:
        sight = self.runtime.sight
        self.runtime.sight = type(sight)(sight.life, sight.instance, sight.pid, sight.started_at, paused=True)
        self._says(Act.PAUSE)

    async def unpause(self) -> None:
        sight = self.runtime.sight
        self.runtime.sight = type(sight)(sight.life, sight.instance, sight.pid, sight.started_at)
        self._says(Act.UNPAUSE)

    async def remove(self) -> None:
        """`docker rm -f`."""
        if self.runtime.sight.running:
            await self._ends(9, 137)
        self.runtime.die(None, Life.GONE)
        self._says(Act.DESTROY)

    async def deploy(self) -> None:
        """As compose does it: the same name, a new id."""
        await self.stop()
        await self.remove()
        self.id += "'"
        self._says(Act.CREATE)
        await self.clock.sleep(0.2)
        await self.start()
