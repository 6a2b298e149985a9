"""The heart: ticks of 100 ms start the checks that are due; once a second, while anything is going on, all is looked at again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from recovery.units import format_duration
from watchdog.clock import Clock
from watchdog.decisions.asker import Asker
from watchdog.decisions.fleet import Fleet
from watchdog.decisions.healer import Healer
from watchdog.decisions.hours import Hours
from watchdog.decisions.ports import Spawn, Store
from watchdog.decisions.recall import ALIVE
from watchdog.decisions.speaker import Speaker
from watchdog.decisions.storms import Storms
from watchdog.decisions.wishes import AskAnew, AskSoon, Capture, Heal, Wish
from watchdog.model.records import Meta
from watchdog.probing.rounds import Rounds
from watchdog.state.rollup import Rollups

SUSPENDED = 10.0
"""Seconds of lateness that no load explains."""

_log = structlog.get_logger(__name__)


class Loop:
    """Reads, asks the core, carries out its wishes. It has no rule of its own. sleeps_until: monotonic seconds, on purpose."""

    def __init__(
        self,
        fleet: Fleet,
        hours: Hours,
        storms: Storms,
        speaker: Speaker,
        asker: Asker,
        healer: Healer,
        rounds: Rounds,
        rollups: Rollups,
        store: Store,
        clock: Clock,
        spawn: Spawn,
        beat: Callable[[float], None],
    ) -> None:
        self._fleet, self._hours, self._storms, self._speaker = fleet, hours, storms, speaker
        self._asker, self._healer, self._rounds, self._rollups = asker, healer, rounds, rollups
        self._store, self._clock, self._spawn, self._beat = store, clock, spawn, beat
        self._look_at = 0.0
        self._ticked_at: float | None = None
        self.sleeps_until = 0.0

    async def run(self) -> None:
        """For ever. One `now` per tick. Who starts the checks also ends them."""
        try:
            while True:
                self.tick(self._clock.monotonic(), self._clock.now())
                await self._pause()
        except asyncio.CancelledError:
            self._asker.give_up()
            raise

    def tick(self, mono: float, now: float) -> None:
        """Looks at everything when it is time, and starts due checks: last, so that no answer has to wait for the look."""
        if self._ticked_at is not None and mono - max(self._ticked_at, self.sleeps_until) > SUSPENDED:
            self._woke(mono - self._ticked_at, now)
        self._ticked_at = mono
        try:
            if self._fleet.stir.take() or mono >= self._look_at:
                self._look(now)
                self._look_at = mono + self._fleet.haste
            self._beat(mono)
        finally:  # whatever may be wrong with the core, checks go on
            for name in self._rounds.due(mono):
                self._asker.begin(name, mono, self._spawn)

    def _look(self, now: float) -> None:
        self._hours.tick(now)
        self._storms.look(now)
        self._speaker.speak(now)
        rollups = self._rollups.flush(now)
        for rollup in rollups:
            self._store.put(rollup)
        if rollups:
            self._store.put(Meta(ALIVE, repr(now)))

    def _woke(self, slept: float, now: float) -> None:
        """The host or the daemon was suspended: a fresh round of answers comes before any act (F08)."""
        _log.warning("suspended", seconds=round(slept))
        self._fleet.settle(now, f"settling after a gap of {format_duration(slept)}")

    async def _pause(self) -> None:
        until = min(self._rounds.next_due(), self._look_at)
        self.sleeps_until = until
        wait = until - self._clock.monotonic()
        if wait <= 0:
            await self._clock.sleep(0)
            return
        await self._fleet.stir.wait(wait)

    def carry_out(self, wish: Wish) -> None:
        """The one place where a wish of the watch becomes work."""
        match wish:
            case AskAnew(names):
                for name in names:
                    if self._asker.wants_anew(name):
                        self._spawn(self._asker.anew(name), f"anew:{name}")
            case AskSoon(name, seconds):
                self._rounds.soon(name, self._clock.monotonic() + seconds)
                self._fleet.stir.set()
            case Heal():
                self._healer.begin(wish)
            case Capture(name):
                self._spawn(self._healer.capture(name), f"capture:{name}")
