"""The whole path: the wired core with the real prober and the real store, as the daemon has them after an hour of work."""

from __future__ import annotations

import asyncio
import gc
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from bench.probe.load import Load, Measured
from bench.probe.meter import TICK, cpu, rss
from watchdog.app import App, Hands, build
from watchdog.clock import Clock
from watchdog.config.schema import Probe, Service, Settings, State
from watchdog.decisions.ports import Dock
from watchdog.hands import Archive
from watchdog.model.observation import Kind, Observation, Report
from watchdog.model.records import Notice
from watchdog.probing.prober import Prober
from watchdog.state.store.open import open_store

KNOWN = Report(instance="b1f0", version="1.4.2")
"""What `target.c` tells of itself: a version that is heard for the first time is written down, which no later round pays."""


class Watched:
    """The real prober, and what came of it. It adds two readings of a clock to what the daemon pays."""

    def __init__(self, prober: Prober, load: Load, measured: Measured) -> None:
        self._prober, self.measured = prober, measured
        self._hung = frozenset(f"bot-{n}" for n in range(load.count) if load.is_hung(n))

    async def ask(self, service: Service) -> Observation:
        raise AssertionError(f"{service.name} can be asked without a task")

    def begin(self, service: Service, told: Callable[[Observation], None]) -> Callable[[], None] | None:
        self.measured.asked += 1
        started = perf_counter()

        def seen(answer: Observation) -> None:
            if service.name not in self._hung:
                good = answer.kind is Kind.OK
                self.measured.good += good
                self.measured.wrong += not good
                self.measured.latencies.append(perf_counter() - started)
            told(answer)

        return self._prober.begin(service, seen)

    def begun(self, late: float) -> None:
        """A tick has begun so many seconds after its time."""
        self.measured.stall = max(self.measured.stall, late)


class Nobody:
    """Outside, sender and network of a host on which nothing else happens."""

    async def run_command(self, name: str, service: str, timeout: float) -> str:
        raise AssertionError(f"nothing is run here: {name}, {service}, {timeout}")

    async def http_call(self, url: str, timeout: float) -> str:
        raise AssertionError(f"nothing is called here: {url}, {timeout}")

    async def send(self, notice: Notice) -> bool:
        return notice.at > 0

    async def up(self) -> bool:
        return True


def no_docker(socket: str) -> Dock:
    """Nothing runs in Docker here."""
    raise AssertionError(f"no engine is asked here: {socket}")


async def watchdog(load: Load) -> Measured:
    """Services that are only watched, so that nothing is healed; every check is judged, folded, decided on and stored."""
    services = {
        f"bot-{n}": Service(name=f"bot-{n}", probe=Probe(http=load.url(n)), interval=load.interval, timeout=load.limit)
        for n in range(load.count)
    }
    clock, measured = Clock(), Measured()
    prober = Prober(clock, lambda _: None, {})
    for service in services.values():
        prober.prepare(service)
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(services=services, state=State(dir=Path(folder)))
        opened = open_store(settings.state.dir, now=clock.now)
        watched, nobody = Watched(prober, load, measured), Nobody()
        hands = Hands(
            clock=clock, store=opened.store, prober=watched, runtimes=lambda _: None, outside=nobody, sender=nobody,
            network=nobody, docks=no_docker, loaded=opened.loaded, archive=Archive(opened.store), boot="bench",
            beat=lambda mono: watched.begun(late=mono - app.loop.sleeps_until),
        )  # fmt: skip
        app = build(settings, {}, hands)
        try:
            await _measure(app, load, watched, clock)
        finally:
            await opened.store.close()
            await prober.close()
    return watched.measured


async def _measure(app: App, load: Load, watched: Watched, clock: Clock) -> None:
    _live_through(app, load, clock)
    work = asyncio.create_task(app.run())
    while not app.loop.sleeps_until:  # until its first tick is over
        await clock.sleep(TICK)
    await clock.sleep(load.settles)
    gc.collect()
    gc.freeze()
    measured = watched.measured = Measured()
    before = cpu()
    await clock.sleep(load.length)
    measured.cpu, measured.rss = cpu() - before, rss()
    watched.measured = Measured()
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
    watched.measured = measured


def _live_through(app: App, load: Load, clock: Clock) -> None:
    """Ten rounds of the past: every service has its state and has found its slot, the hung ones are known to be hung."""
    rounds, now = 10, clock.now()
    past = rounds * load.interval
    for number in range(rounds):
        at = now - past + number * load.interval
        for name, card in app.fleet.cards.items():
            hung = load.is_hung(int(name[4:]))
            kind, detail = (Kind.NO_ANSWER, "timeout") if hung else (Kind.OK, "")
            report = None if hung else KNOWN
            app.watch.observe(card, Observation(at, kind, detail, None if hung else 0.002, None if hung else 200, report=report))
    mono = clock.monotonic()
    app.rounds.set(app.fleet.settings.services, mono - past)
    for tick in range(int(past / TICK)):
        app.rounds.due(mono - past + tick * TICK)
