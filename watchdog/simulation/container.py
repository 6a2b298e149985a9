"""A scripted Docker engine and the containers of its bots: restart policies, people at the command line, events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from recovery.errors import StepFailed
from recovery.ports import Life, Sight
from watchdog.clock import Clock
from watchdog.model.container import Act, Happening
from watchdog.simulation.bot import Bot
from watchdog.simulation.scenario import Process

FIRST, LONGEST = 0.2, 60.0
"""Seconds from an end to Docker's restart; they double with each end soon after a start, up to the longest."""

STEADY = 10.0
"""Seconds of life after which the pause before a restart is the first one again."""

REMEMBERED = 256
"""Events the engine keeps."""

AWAY = "Docker does not answer"


class FakeEngine:
    """`watchdog.decisions.ports.Dock` over the scripted containers. bots: those that are containers, by container name."""

    def __init__(self, clock: Clock) -> None:
        self.up = True
        self.bots: dict[str, Bot] = {}
        self._clock = clock
        self._events: list[Happening] = []
        self._nano = 0
        self._born = 0.0
        self._news = asyncio.Event()

    def turn(self, up: bool) -> None:
        """It ends, or comes back, remembers nothing, and starts what its policies want to run."""
        back, self.up = up and not self.up, up
        if back:
            self._events.clear()
            self._born = self._clock.now()
            for bot in self.bots.values():
                if bot.box is not None:
                    bot.box.again_with_its_engine(bot)
        self._tell()

    def happened(self, act: Act, bot: Bot, *, signal: int | None = None, code: int | None = None, old: str = "") -> None:
        """One event, if anybody is there to say it."""
        box = bot.box
        if not self.up or box is None:
            return
        now = self._clock.now()
        self._nano = max(self._nano + 1, round(now * 1e9))
        self._events = [*self._events[1 - REMEMBERED :], Happening(now, self._nano, act, box.id, box.name, signal, code, old)]
        self._tell()

    def look(self) -> None:
        """Raises StepFailed while it is away."""
        if not self.up:
            raise StepFailed(AWAY)

    async def ping(self) -> None:
        self.look()

    async def happenings(self, since: float | None) -> AsyncIterator[Happening]:
        self.look()
        last = self._nano if since is None else round(since * 1e9)
        while self.up:
            news = self._news
            for event in [each for each in self._events if each.nano > last]:
                last = event.nano
                yield event
            await news.wait()

    async def forgot(self, moment: float) -> bool:
        self.look()
        return self._born > moment

    async def stopped_by_hand(self, name: str, before: float | None = None) -> bool | None:  # noqa: ARG002
        self.look()
        bot = self.bots.get(name)
        return bot.box.by_hand if bot is not None and bot.box is not None else None

    def drop(self) -> None:
        """Nobody hangs here."""

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


@dataclass(slots=True)
class Box:
    """The container around one bot. by_hand: Docker's own record that somebody stopped it. busy: Docker is at work on it."""

    name: str
    engine: FakeEngine
    clock: Clock
    policy: str = "unless-stopped"
    number: int = 1
    busy: bool = False
    paused: bool = False
    gone: bool = False
    by_hand: bool = False
    pause: float = FIRST
    _timer: asyncio.TimerHandle | None = field(default=None, repr=False)

    @property
    def id(self) -> str:
        return f"{self.name}-{self.number}"

    def sight(self, bot: Bot) -> Sight | None:
        """How it looks when that is not simply a running bot. Raises StepFailed while nobody answers."""
        self.engine.look()
        if self.gone:
            return Sight(Life.GONE, detail="there is no such container")
        if self.busy:
            return Sight(Life.BUSY, exit_code=bot.exit_code, detail="Docker is restarting it")
        if not bot.running:
            return Sight(Life.STOPPED, exit_code=bot.exit_code, supervised=self.policy != "no")
        return None

    def ended(self, bot: Bot, code: int | None) -> None:
        """Its main process is gone; the policy decides what follows."""
        told = 128 - code if code is not None and code < 0 else code or 0
        bot.exit_code = told
        self.paused = False
        self.engine.happened(Act.DIE, bot, code=told)
        if not self._wanted(told) or self.by_hand or self.gone or not self.engine.up:
            return
        lived = self.clock.now() - bot.started_at
        self.pause = FIRST if lived > STEADY else min(2 * self.pause, LONGEST)
        self._soon(bot)

    def again_with_its_engine(self, bot: Bot) -> None:
        """After Docker's own restart `always` means always, also for what somebody had stopped."""
        left = self.by_hand and self.policy != "always"
        if not bot.running and not self.gone and not left and self._wanted(bot.exit_code or 0):
            self.pause = FIRST
            self._soon(bot)

    def _wanted(self, code: int) -> bool:
        return self.policy in ("always", "unless-stopped") or (self.policy == "on-failure" and code != 0)

    def _soon(self, bot: Bot) -> None:
        self.busy = True
        self._timer = asyncio.get_running_loop().call_later(self.pause, self._again, bot)

    def begun(self, bot: Bot) -> None:
        """A new instance runs."""
        self.busy, self.by_hand, self.gone = False, False, False
        if self._timer is not None:
            self._timer.cancel()
        self.engine.happened(Act.START, bot)

    def _again(self, bot: Bot) -> None:
        if self.engine.up and self.busy:
            bot.begin(self.clock.now())

    def stop(self, bot: Bot) -> None:
        """`docker stop` by hand."""
        self.engine.happened(Act.KILL, bot, signal=15)
        self.by_hand = True
        self.busy = False
        bot.end(0)
        self.engine.happened(Act.STOP, bot)

    def start(self, bot: Bot) -> None:
        """`docker start`, `docker unpause` or `docker restart` by hand, whatever makes it run anew."""
        if self.paused:
            self.paused = False
            self.engine.happened(Act.UNPAUSE, bot)
            return
        anew = bot.running
        if anew:
            self.stop(bot)
        bot.begin(self.clock.now())
        if anew:
            self.engine.happened(Act.RESTART, bot)

    def freeze(self, bot: Bot) -> None:
        """`docker pause` by hand."""
        self.paused = True
        self.engine.happened(Act.PAUSE, bot)

    def replace(self, bot: Bot) -> None:
        """A deploy: removed, made anew under the same name, started."""
        self.remove(bot)
        self.number += 1
        self.engine.happened(Act.CREATE, bot)
        bot.begin(self.clock.now())

    def remove(self, bot: Bot) -> None:
        """`docker rm -f` by hand."""
        self.gone = True
        if bot.running:
            self.engine.happened(Act.KILL, bot, signal=9)
            bot.end(-9)
        self.engine.happened(Act.DESTROY, bot)

    def starve(self, bot: Bot, code: int | None) -> None:
        """Killed for memory."""
        self.engine.happened(Act.OOM, bot)
        bot.end(-9 if code is None else code)


def set_container(bot: Bot, box: Box, process: Process, *, begins: bool) -> None:
    """As the scenario finds it, or as somebody, or Docker itself, makes it. begins: it was so before anybody looked."""
    if process.status == "restarting":
        box.busy, bot.running = True, False
    elif process.status == "paused":
        box.freeze(bot)
    elif process.status == "exited" and begins:
        bot.running, box.by_hand, bot.exit_code = False, process.by_hand, 0
    elif process.status == "exited" and process.by_hand:
        box.stop(bot)
    elif process.status == "exited":
        policy, box.policy = box.policy, "no"
        bot.end(0)
        box.policy = policy
    elif process.status == "running" and not begins and (process.by_hand or box.paused):
        box.start(bot)
    elif process.status == "running" and not begins:
        bot.end(0)
        bot.begin(box.clock.now())
