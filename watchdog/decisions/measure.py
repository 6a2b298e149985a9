"""Measures what every running service uses, some seconds apart, and lets the watch look where it is too much."""

from __future__ import annotations

from dataclasses import dataclass, replace

from recovery.errors import StepError
from recovery.ports import Life, Runtime, Sight
from watchdog.clock import Clock
from watchdog.decisions.chronicle import Chronicle
from watchdog.decisions.fleet import Card, Fleet
from watchdog.decisions.watch import Watch
from watchdog.state.load import Reading, measured, tells
from watchdog.symptoms.overload import overloaded

FASTEST, CLOSE, CALM = 1.0, 10.0, 30.0
"""Seconds between two readings of a service: its interval, within FASTEST and CLOSE while something is wrong, CALM otherwise."""

AT_ONCE = 8
"""Services measured before the loop is let on again; about a millisecond."""


EARLY = 0.5
"""Seconds by which a round may come early and still find a service due."""


@dataclass(slots=True)
class _Known:
    """One instance that is measured. due: monotonic seconds, for a calm one."""

    sight: Sight
    reading: Reading | None = None
    due: float = 0.0


class Measure:
    """Whatever a round finds becomes history; no rule is here, and nothing waits for it.

    All processes of the host are listed once per round: the readings of a round follow each other closely.
    """

    def __init__(self, fleet: Fleet, chronicle: Chronicle, watch: Watch, clock: Clock) -> None:
        self._fleet, self._chronicle, self._watch, self._clock = fleet, chronicle, watch, clock
        self._last: dict[str, _Known] = {}

    async def run(self) -> None:
        """For ever."""
        while True:
            began = self._clock.monotonic()
            await self.round(began)
            tempo = min((card.service.interval for card in self._fleet), default=CLOSE)
            await self._clock.sleep(max(0.1, began + _within(tempo, CLOSE) - self._clock.monotonic()))

    async def round(self, mono: float) -> None:
        """Reads whoever is due at `mono`."""
        count = 0
        for card in tuple(self._fleet):
            runtime, known = card.runtime, self._last.get(card.name)
            if runtime is None or card.history.running is not True:
                continue
            instance = card.history.instance
            if known is None or known.sight.instance != instance:
                known = self._last[card.name] = _Known(Sight(Life.RUNNING, instance))
            elif mono < known.due and card.incident is None and card.history.life.load.calm:
                continue
            await self._read(card, runtime, known)
            count += 1
            if count % AT_ONCE == 0:
                await self._clock.sleep(0)
        for name in self._last.keys() - self._fleet.cards.keys():
            del self._last[name]

    async def _read(self, card: Card, runtime: Runtime, known: _Known) -> None:
        try:
            usage = await runtime.usage(known.sight)
        except (StepError, OSError):
            return
        if usage is None or card.history.instance != known.sight.instance or self._fleet.cards.get(card.name) is not card:
            return
        mono = self._clock.monotonic()
        before = known.reading
        known.reading = reading = Reading(self._clock.now(), mono, usage.cpu, usage.memory, usage.limit)
        known.due = mono + _within(card.service.interval, CALM) - EARLY
        self._fold(card, before, reading)

    def _fold(self, card: Card, before: Reading | None, reading: Reading) -> None:
        history, limits = card.history, card.service.thresholds
        load = history.life.load
        if not tells(load, before, reading, limits):
            return
        after = measured(load, before, reading, limits, history.pace)
        self._chronicle.history(card, replace(history, life=replace(history.life, load=after)))
        if after.calm or card.active is not None:
            return
        found = overloaded(card.history, card.service, reading.at)
        if found is not None:
            self._watch.suspect(card, found, reading.at)


def _within(interval: float, most: float) -> float:
    return min(max(interval, FASTEST), most)
