"""The fake hands of the simulator: prober, runtimes, commands, network and sender over a scripted world."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from recovery.adapters.port_owner import taken_port
from recovery.errors import NeedsPerson, StepFailed, Superseded
from recovery.ports import Life, Sight, Stacks, Usage, Vitals
from recovery.runtimes.docker import PORT_AGAIN
from watchdog.config.schema import Service
from watchdog.decisions.cards import leaves_host
from watchdog.model.observation import Kind, Observation
from watchdog.model.records import Notice
from watchdog.probing.answer import HttpAnswer, Trouble
from watchdog.probing.verdict import judge
from watchdog.simulation.bot import Bot
from watchdog.simulation.scenario import Does, Reply
from watchdog.simulation.virtual import VirtualClock
from watchdog.simulation.world import World
from watchdog.state.dealings import JUDGED

LATENCY = 0.003
"""Seconds that an answer is said to have taken. Nobody waits for them: a check is cheap."""

ENDS_IN = 0.2
"""Seconds from SIGTERM to the end of a bot that obeys."""

STACKS_IN = 0.1
"""Seconds for the stacks of one process."""

BUSY = 50.0
"""Percent of one core from which on its stack shows it at work."""


class FakeProber:
    """Asks the scripted bot; a document is judged by the product's own verdict."""

    def __init__(self, world: World, clock: VirtualClock) -> None:
        self._world, self._clock = world, clock
        self._judged: dict[tuple[str, Reply], Observation] = {}

    async def ask(self, service: Service) -> Observation:
        bot = self._world.bots[service.name]
        if not self._world.network and leaves_host(service):
            return _trouble(self._clock.now(), Trouble.UNREACHABLE)
        if service.probe.docker:
            return _boxed(bot, self._clock.now())
        if not bot.running:
            return _trouble(self._clock.now(), Trouble.REFUSED)
        if bot.silent:
            return await self._hang(service, bot)
        if service.probe.process:
            return Observation(self._clock.now(), Kind.OK, "runs", LATENCY)
        reply = bot.reply()
        if reply.code is not None and service.probe.http:
            return self._document(service, reply)
        if reply.does is Does.OK:
            return Observation(self._clock.now(), Kind.OK, "", LATENCY, 200 if service.probe.http else None)
        if reply.does is Does.HANG:
            return await self._hang(service, bot)
        return _trouble(self._clock.now(), Trouble.REFUSED if reply.does is Does.REFUSE else Trouble.RESET)

    async def _hang(self, service: Service, bot: Bot) -> Observation:
        """Until the deadline, or until the process dies under the question."""
        try:
            async with asyncio.timeout(service.deadline):
                await bot.over.wait()
        except TimeoutError:
            return _trouble(self._clock.now(), Trouble.TIMEOUT)
        return _trouble(self._clock.now(), Trouble.RESET)

    def _document(self, service: Service, reply: Reply) -> Observation:
        """The same document is judged once."""
        key = (service.name, reply)
        if key not in self._judged:
            answer = HttpAnswer(reply.code, {"content-type": reply.media}, reply.body, latency=LATENCY)
            declared = frozenset((*service.depends_on, *service.apis))
            self._judged[key] = judge(answer, declared, service.probe.map, 0.0)
        return replace(self._judged[key], at=self._clock.now())


class FakeRuntime:
    """`recovery.ports.Runtime` over one scripted bot."""

    def __init__(self, bot: Bot, clock: VirtualClock) -> None:
        self._bot, self._clock = bot, clock
        self.kind = "process" if bot.box is None else "docker"
        self.hindsight = 0.0 if bot.box is None else JUDGED

    async def look(self) -> Sight:
        return self._bot.sight()

    async def gone(self, sight: Sight) -> None:
        if self._bot.instance == sight.instance:
            await self._bot.over.wait()

    async def start(self) -> Sight:
        if self._bot.sight().running:
            return self._bot.sight()
        try:
            await met(self._bot, self._clock)
        except StepFailed as error:
            await self._port_is_taken(error)
        self._bot.begin(self._clock.now())
        return self._bot.sight()

    async def stop(self, sight: Sight, grace: float, *, kill: bool = True) -> str:
        self._same(sight)
        began = self._clock.monotonic()
        obeys = await met(self._bot, self._clock, ENDS_IN, grace if not kill else None)
        if not obeys:
            raise StepFailed(f"alive {grace:.0f} s after SIGTERM, and not to be killed")
        self._same(sight)
        if self._bot.silent:
            raise Superseded("somebody paused it")
        took = self._clock.monotonic() - began
        self._bot.end(-15 if took < grace else -9)
        return f"ended by SIGTERM after {took:.1f} s" if took < grace else f"ignored SIGTERM for {grace:.0f} s, killed"

    async def signal(self, sight: Sight, name: str) -> None:
        self._same(sight)
        await met(self._bot, self._clock)
        self._bot.log.append(f"got SIG{name}")

    async def log_tail(self, lines: int) -> Sequence[str]:
        await met(self._bot, self._clock)
        return list(self._bot.log)[-lines:]

    async def vitals(self, sight: Sight) -> Vitals:
        await met(self._bot, self._clock)
        same = self._bot.running and sight.instance == self._bot.instance
        return Vitals(self._bot.cpu, self._bot.memory, processes=1, zombies=self._bot.zombies) if same else Vitals()

    async def usage(self, sight: Sight) -> Usage | None:
        bot = self._bot
        if not bot.running or sight.instance != bot.instance:
            return None
        return Usage(bot.cpu_seconds(self._clock.monotonic()), bot.memory)

    async def stacks(self, sight: Sight) -> Stacks:
        """Of one thread: at work while it uses CPU, idle in select otherwise."""
        await met(self._bot, self._clock, STACKS_IN)
        if not self._bot.running or sight.instance != self._bot.instance:
            raise StepFailed("it does not run any more")
        where = "all idle, nothing blocks a thread" if self._bot.cpu < BUSY else "active in work (bot.py:1)"
        return Stacks(f"1 process, 1 thread; {where}", f"1 process, 1 thread; {where}")

    async def _port_is_taken(self, error: StepFailed) -> None:
        """As with a real container: once more after a while, then a person. Raises what the scenario said for anything else."""
        port = taken_port(str(error)) if self._bot.box is not None else None
        if port is None:
            raise error
        await self._clock.sleep(PORT_AGAIN)
        raise NeedsPerson(f"port {port} is taken by somebody else; that is left to a person") from error

    def _same(self, sight: Sight) -> None:
        if self._bot.running and sight.instance != self._bot.instance:
            raise Superseded(f"another instance runs now ({self._bot.instance})")


class FakeOutside:
    """Commands and URLs by name: they do what the scenario says of the action that calls them."""

    def __init__(self, world: World, clock: VirtualClock) -> None:
        self._world, self._clock = world, clock

    async def run_command(self, name: str, service: str, timeout: float) -> str:
        async with asyncio.timeout(timeout):
            await met(self._world.bots[service], self._clock)
        return f"{name}: exit code 0"

    async def http_call(self, url: str, timeout: float) -> str:
        calling = (
            bot for bot in self._world.bots.values() if bot.deed is not None and bot.deed.action in {"http_call", "reload"}
        )
        bot = next(calling, None)
        if bot is not None:
            async with asyncio.timeout(timeout):
                await met(bot, self._clock)
        return f"{url}: HTTP 200"


class FakeNetwork:
    """Our own way out: open unless the scenario closed it."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def up(self) -> bool:
        return self._world.network


class Recorder:
    """Delivers every message at once and keeps it."""

    def __init__(self) -> None:
        self.sent: list[Notice] = []

    async def send(self, notice: Notice) -> bool:
        self.sent.append(notice)
        return True


async def met(bot: Bot, clock: VirtualClock, least: float = 0.0, limit: float | None = None) -> bool:
    """Let the lines of the scenario for the present action happen: it lasts `takes`, it may `fail`. Once per action.

    False: it would have lasted longer than `limit`, which has passed now. Raises StepFailed.
    """
    deed = bot.deed
    seconds, fail = least, None
    if deed is not None and not deed.met:
        deed.met = True
        seconds = max((rule.takes for rule in deed.rules if rule.takes), default=least)
        fail = next((rule.fail for rule in deed.rules if rule.fail is not None), None)
    if limit is not None and seconds > limit:
        await clock.sleep(limit)
        return False
    if seconds > 0:
        await clock.sleep(seconds)
    if fail is not None:
        raise StepFailed(fail)
    return True


def _boxed(bot: Bot, now: float) -> Observation:
    """`probe: {docker: true}`."""
    try:
        sight = bot.sight()
    except StepFailed as away:
        return Observation(now, Kind.UNKNOWN, str(away))
    if sight.life is Life.BUSY:
        return Observation(now, Kind.STARTING, sight.detail)
    if not sight.running or sight.paused:
        return Observation(now, Kind.NO_ANSWER, "paused" if sight.paused else "not running")
    return Observation(now, Kind.OK, "", LATENCY)


def _trouble(now: float, trouble: Trouble) -> Observation:
    return judge(HttpAnswer(trouble=trouble), frozenset(), {}, now)
