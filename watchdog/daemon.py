"""The daemon: configuration, lock, store, doors, signals and systemd around the core (SPEC 15)."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import structlog

from recovery.adapters.descriptors import make_room
from recovery.load import load_playbooks
from recovery.model import Playbook
from recovery.problem import Problem, errors
from recovery.registry import Registry, discover
from watchdog import logs
from watchdog.app import build
from watchdog.clock import Clock
from watchdog.config.load import Loaded, load_all
from watchdog.config.schema import Settings
from watchdog.config.secrets import Secret
from watchdog.errors import ConfigurationError, Refused, WatchdogError
from watchdog.hands import World, real
from watchdog.lock import InstanceLock
from watchdog.model.records import Meta
from watchdog.model.symptom import KNOWN
from watchdog.redaction import Redactor
from watchdog.state.store.open import NAME, Opened, open_store
from watchdog.systemd import Notifier
from watchdog.web.api import ControlServer
from watchdog.web.rows import Rows

BAD_START = 78
"""Exit code of a configuration or start error: systemd does not try again (SPEC 15)."""

DISCOVERED = "discovered"
"""Key of what discovery knew, in the store."""

LOOK_FOR_MORE = 60.0
"""Seconds between two looks for containers that want to be watched, when nothing is heard of any."""

FIRST_ROUND = 10.0
"""Seconds that READY waits for answers of the first round; a hanging bot must not hang our own start."""

PRUNE = 3600.0

_log = structlog.get_logger(__name__)


def serve(path: Path) -> int:
    """Runs until SIGTERM or SIGINT. 0: a graceful end. 78: it cannot start, and why is on stderr."""
    clock = Clock()
    try:
        return asyncio.run(Daemon(path, clock).run())
    except WatchdogError as error:
        print(error, file=sys.stderr)
        return BAD_START


def load_everything(path: Path, registry: Registry) -> tuple[Loaded, Mapping[str, Playbook], tuple[Problem, ...]]:
    """Settings and playbooks. Raises ConfigurationError for the settings; a bad playbook is refused alone, and told."""
    loaded = load_all(path)
    folders = [folder for folder in _absolute(loaded.settings, path) if folder.exists()]
    books = load_playbooks(folders, registry, symptoms=KNOWN, commands=loaded.settings.commands)
    return loaded, books.books, books.found


def _absolute(settings: Settings, path: Path) -> list[Path]:
    return [folder if folder.is_absolute() else path.parent / folder for folder in settings.playbooks]


class Daemon:
    """One life of the daemon."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path, self._clock = path, clock
        self._registry = discover()
        self._notifier = Notifier(os.environ, os.getpid(), clock.monotonic)
        self._beat_at = clock.monotonic()
        self._reloading = asyncio.Lock()
        self._end = asyncio.Event()
        self._news = asyncio.Event()
        self._told_odd: tuple[str, ...] = ()
        self._kept = ""

    async def run(self) -> int:
        loaded, books, bad_books = load_everything(self._path, self._registry)
        settings = loaded.settings
        make_room()
        self._redactor = Redactor(_secrets(settings))
        logs.start(sys.stderr, logs.form_of(sys.stderr, os.environ), self._clock.now, self._redactor)
        settings.state.dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        with InstanceLock(settings.state.dir, os.getpid()):
            opened = open_store(settings.state.dir, now=self._clock.now, redact=self._redactor)
            try:
                return await self._serve(settings, books, bad_books, opened)
            finally:
                await opened.store.close()

    async def _serve(
        self, settings: Settings, books: Mapping[str, Playbook], bad_books: tuple[Problem, ...], opened: Opened
    ) -> int:
        self._world = World(settings, self._clock)
        self._file = settings
        self._kept = opened.loaded.meta.get(DISCOVERED, "")
        self._world.recall(self._kept)
        settings, odd = await self._world.extended(settings)
        self._world.use(settings)
        hands = real(self._world, opened, self._clock, self._reload, self._beat, self._strangers)
        self._app = build(settings, books, hands, self._registry)
        self._odd(odd)
        self._tell(opened, bad_books)
        self._server = server = ControlServer(
            settings.control.socket,
            self._app.desk,
            self._app.scribe.put,
            self._clock,
            rows=Rows(settings.state.dir / NAME),
            redact=self._redactor,
            admins=settings.control.admins,
        )
        await server.start()
        self._signals()
        core = asyncio.create_task(self._app.run())
        chores = [
            asyncio.create_task(self._app.tasks.keep(each, name))
            for each, name in ((self._ping, "ping"), (lambda: self._prune(opened), "prune"), (self._look_for_more, "discovery"))
        ]
        ready = asyncio.create_task(self._ready())
        ending = asyncio.create_task(self._end.wait())
        gc.freeze()
        try:
            await asyncio.wait({core, ending}, return_when=asyncio.FIRST_COMPLETED)
            self._notifier.stopping("stopping")
            if core.done() and not core.cancelled():
                core.result()
            return 0
        finally:
            await server.stop()
            for task in (core, ready, ending, *chores):
                task.cancel()
            await asyncio.gather(core, ready, ending, *chores, return_exceptions=True)
            await self._world.close()
            _log.info("stopped")

    def _tell(self, opened: Opened, bad_books: tuple[Problem, ...]) -> None:
        """What a person must know about this start."""
        _log.info("started", pid=os.getpid(), services=len(self._app.fleet.cards), config=str(self._path))
        if opened.why and opened.fresh:
            aside = f" The old file lies at {opened.set_aside}." if opened.set_aside else ""
            self._app.alarm(f"🔴 The watchdog lost its memory: {opened.why}.{aside} Checks and healing go on with fresh counts.")
        elif opened.why:
            self._app.alarm(f"🔴 The watchdog cannot write its memory: {opened.why}. Checks and alerts go on; nothing is healed.")
        for problem in bad_books:
            _log.error("playbook_refused", problem=str(problem))
        if bad_books:
            self._app.fleet.playbook_errors = tuple(map(str, bad_books))
            self._app.alarm(f"🔴 {errors(len(bad_books))} in playbooks, these are not used: {bad_books[0]}")

    def _signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._end.set)
        loop.add_signal_handler(signal.SIGHUP, self._hang_up)

    def _hang_up(self) -> None:
        self._app.tasks.spawn(self._reload_quietly(), "reload")

    async def _reload_quietly(self) -> None:
        try:
            await self._reload()
        except Refused as refused:
            _log.error("reload_refused", reason=str(refused))

    async def _reload(self) -> dict[str, Any]:
        """An invalid file changes nothing and says so, also in `status` (SPEC 3). SIGHUPs in a row load one after the other."""
        async with self._reloading:
            self._notifier.reloading()
            try:
                loaded, books, bad_books = load_everything(self._path, self._registry)
                self._same_home(loaded.settings)
            except (ConfigurationError, OSError) as error:
                problems = error.problems if isinstance(error, ConfigurationError) else (str(error),)
                self._refused(problems)
                raise Refused("\n".join((*problems, f"{errors(len(problems))}; the old configuration stays in force"))) from error
            finally:
                self._notifier.ready()
            self._file = loaded.settings
            settings, odd = await self._world.extended(loaded.settings)
            self._world.use(settings)
            self._redactor.learn(_secrets(settings))
            self._server.admins = tuple(settings.control.admins)
            text = await self._app.reload(settings, books)
            self._odd(odd)
            self._app.fleet.playbook_errors = tuple(map(str, bad_books))
            if bad_books:
                text += f"; {errors(len(bad_books))} in playbooks, these are not used (watchdogctl check)"
            _log.info("reloaded", changed=text)
            return {"text": f"reloaded: {text}", "problems": list(map(str, bad_books))}

    def _strangers(self) -> None:
        """Containers came or went."""
        self._news.set()

    async def _look_for_more(self) -> None:
        """Discovery: soon after containers came or went, and now and then for what a deploy has left gone."""
        while True:
            try:
                async with asyncio.timeout(LOOK_FOR_MORE):
                    await self._news.wait()
                await self._clock.sleep(1.0)
            except TimeoutError:
                pass
            self._news.clear()
            async with self._reloading:
                settings, odd = await self._world.extended(self._file)
                if settings.services != self._app.fleet.settings.services:
                    self._world.use(settings)
                    _log.info("discovered", changed=await self._app.reload(settings, self._app.fleet.playbooks))
                self._odd(odd)

    def _odd(self, odd: tuple[str, ...]) -> None:
        """Labels that cannot be understood are told once, and hide nothing."""
        for problem in [each for each in odd if each not in self._told_odd]:
            _log.warning("discovery", problem=problem)
            self._app.speaker.remark(f"🟡 discovery: {problem}", self._clock.now())
        self._told_odd = odd
        if self._file.discovery is not None and self._world.discovered != self._kept:
            self._kept = self._world.discovered
            self._app.scribe.put(Meta(DISCOVERED, self._kept))

    def _same_home(self, settings: Settings) -> None:
        old = self._world.settings
        if settings.state.dir != old.state.dir or settings.control.socket != old.control.socket:
            raise ConfigurationError(("state.dir and control.socket cannot change by a reload; restart the daemon",))

    def _refused(self, problems: tuple[str, ...]) -> None:
        fleet = self._app.fleet
        if fleet.config_errors != problems:
            fleet.config_errors = problems
            self._app.alarm(
                f"🔴 The configuration on disk has {errors(len(problems))}; the old one stays in force: {problems[0]}"
            )

    def _beat(self, mono: float) -> None:
        self._beat_at = mono

    async def _ping(self) -> None:
        """WATCHDOG=1 only while the core loop beats within two periods; a loop that waits on purpose has beaten before."""
        period = self._notifier.period or 30.0
        while True:
            quiet = self._clock.monotonic() - max(self._beat_at, self._app.loop.sleeps_until)
            if quiet < period:
                self._notifier.watchdog()
                self._notifier.status(self._line())
            else:
                self._notifier.status(f"the core loop is late by {quiet:.0f} s, no ping")
            await self._clock.sleep(period / 2)

    def _line(self) -> str:
        fleet = self._app.fleet
        ok = sum(1 for card in fleet if card.history.state.value == "ok")
        healing = sum(1 for card in fleet if card.active is not None)
        reach = self._app.outbox.reach()
        wrong = "; configuration on disk is invalid" if fleet.config_errors else ""
        if reach.closed or reach.late(self._clock.now()):
            wrong += f"; alerts do not reach everybody ({reach.critical} critical wait)"
        return f"{ok}/{len(fleet.cards)} ok, {healing} being healed{wrong}"

    async def _ready(self) -> None:
        until = self._clock.monotonic() + FIRST_ROUND
        while self._clock.monotonic() < until and any(card.history.last is None for card in self._app.fleet):
            await self._clock.sleep(0.05)
        self._notifier.ready(self._line())
        _log.info("ready", status=self._line())

    async def _prune(self, opened: Opened) -> None:
        while True:
            await self._clock.sleep(PRUNE)
            await opened.store.prune(self._clock.now(), self._world.settings.state.keep)
            self._app.scribe.put(Meta("seen_at", repr(self._clock.now())))


def _secrets(settings: Settings) -> list[str]:
    """The values that must be found nowhere."""
    found = []
    for service in settings.services.values():
        if service.runtime is not None and service.runtime.process is not None:
            found += [each.reveal() for each in service.runtime.process.env.values() if isinstance(each, Secret)]
    telegram, fallback = settings.alerts.telegram, settings.alerts.fallback
    if telegram is not None:
        found.append(telegram.token.reveal())
    if fallback is not None and isinstance(fallback.webhook, Secret):
        found.append(fallback.webhook.reveal())
    return found
