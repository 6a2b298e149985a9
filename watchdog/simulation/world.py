"""The scripted world: bots and host, what happens to them by time, and what follows from the actions of the product."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from heapq import merge

from recovery.model import Run, StepOutcome, StepRecord
from watchdog.config.schema import Service
from watchdog.simulation.bot import OLD, Bot, Deed
from watchdog.simulation.container import Box, FakeEngine, set_container
from watchdog.simulation.scenario import Change, Event, Operator, Process, Scenario, Verb
from watchdog.simulation.telegram import UP
from watchdog.simulation.virtual import VirtualClock

EARLY = 0.001
"""Seconds by which the world moves before the product: what happens at 60s is true for a check at 60s."""


class World:
    """stage: carries out what is not of the world itself: a crash of the daemon, an operator's wish."""

    def __init__(
        self, scenario: Scenario, services: Mapping[str, Service], clock: VirtualClock, stage: Callable[[Change], None]
    ) -> None:
        self._scenario, self._clock, self._stage = scenario, clock, stage
        self.network = True
        self.store = True
        self.telegram = UP
        self.engine = FakeEngine(clock)
        self.bots = {name: self._bot(name, order, service) for order, (name, service) in enumerate(services.items())}
        self._rules = [event for event in scenario.events if event.after is not None]
        self._used: dict[int, int] = {}
        for event in scenario.events:
            if event.at == 0.0 and event.every is None:
                self.apply(event.change)

    def _bot(self, name: str, order: int, service: Service) -> Bot:
        bot = Bot(name, order, self._clock.now() - OLD)
        docker = service.runtime.docker if service.runtime is not None else None
        if docker is not None:
            bot.box = Box(docker.name, self.engine, self._clock)
            self.engine.bots[docker.name] = bot
        return bot

    async def play(self) -> None:
        """Everything that happens by time, in order; what is due at 0 has happened already."""
        timed = [event for event in self._scenario.events if event.after is None and (event.at != 0.0 or event.every is not None)]
        moments: Iterable[tuple[float, int]] = merge(
            *([(at, number) for at in event.moments(self._scenario.until)] for number, event in enumerate(timed))
        )
        for at, number in moments:
            await self._clock.sleep(at - EARLY - self._clock.monotonic())
            self.apply(timed[number].change)

    def apply(self, change: Change, only: str | None = None) -> None:
        """Make it so. only: the service whose action it follows."""
        if change.docker is not None:
            self.engine.turn(change.docker)
        names = [only] if only is not None else [name for name in self.bots if fnmatchcase(name, change.services)]
        for name in names:
            self._turn(self.bots[name], change)
        if change.network is not None:
            self.network = change.network
        if change.store is not None:
            self.store = change.store
        if change.telegram is not None:
            self.telegram = change.telegram
        if change.clock is not None:
            self._clock.step(change.clock)
        if change.boot:
            for bot in self.bots.values():
                bot.end(None)
        if change.crash is not None or change.operator is not None:
            self._stage(change)

    def by_hand(self, wish: Operator) -> bool:
        """What a person does with `docker` itself and not through us: True when that is what was meant."""
        bot = self.bots.get(wish.service)
        box = bot.box if bot is not None else None
        if bot is None or box is None:
            return False
        match wish.verb:
            case Verb.PAUSE:
                box.freeze(bot)
            case Verb.REMOVE:
                box.remove(bot)
            case Verb.DEPLOY:
                box.replace(bot)
            case Verb.STOP if wish.seconds is None:
                box.stop(bot)
            case _:
                return False
        return True

    def _turn(self, bot: Bot, change: Change) -> None:
        if change.replies:
            bot.answers(change.replies)
        if change.process is not None:
            self._set(bot, change.process)
        bot.log.extend(change.log)
        if change.cpu is not None:
            bot.uses(change.cpu, self._clock.monotonic())
        if change.zombies is not None:
            bot.zombies = change.zombies
        if change.memory is not None:
            bot.memory = change.memory
        if change.exit is not None and change.starved and bot.box is not None:
            bot.box.starve(bot, change.exit)
        elif change.exit is not None:
            bot.end(change.exit)

    def _set(self, bot: Bot, process: Process) -> None:
        begins = self._clock.monotonic() <= 0
        if bot.box is not None:
            bot.box.policy = process.policy or bot.box.policy
            set_container(bot, bot.box, process, begins=begins)
        elif not process.running:
            bot.end(bot.exit_code)
        elif process.status:
            if not begins:
                bot.end(0)
            bot.begin(self._clock.now())
        if process.status == "running":
            bot.aged(self._clock.now() - process.started_ago)

    def follow(self, run: Run) -> None:
        """A run was journalled: its open step becomes the deed on its bot, and an ended one sets off what follows."""
        bot = self.bots.get(run.service)
        if bot is None or not run.steps:
            return
        step = run.steps[-1]
        key = (run.id, step.index)
        if step.outcome is None and (bot.deed is None or bot.deed.key != key):
            bot.deed = Deed(key, step.action, self._rules_for(run.service, step.action))
        elif step.outcome is not None and bot.deed is not None and bot.deed.key == key:
            deed, bot.deed = bot.deed, None
            self._ended(run.service, deed, step)

    def _rules_for(self, service: str, action: str) -> tuple[Event, ...]:
        """The lines that this action sets off; each counts its times from the action's begin."""
        found = []
        for number, rule in enumerate(self._rules):
            used = self._used.get(number, 0)
            whose = rule.of or rule.change.services
            if rule.after in {"any", action} and fnmatchcase(service, whose) and (rule.times is None or used < rule.times):
                self._used[number] = used + 1
                found.append(rule)
        return tuple(found)

    def _ended(self, service: str, deed: Deed, step: StepRecord) -> None:
        for rule in deed.rules:
            due = step.outcome is StepOutcome.OK or (rule.fail is not None and step.outcome is StepOutcome.FAILED)
            if not due:
                continue
            only = None if rule.of else service
            if rule.delay <= 0:
                self.apply(rule.change, only)
                continue
            self._later(rule.delay, rule.change, only)

    def _later(self, seconds: float, change: Change, only: str | None) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(seconds, self.apply, change, only)
