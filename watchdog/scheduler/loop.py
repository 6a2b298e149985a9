"""Once a minute one due report: built, written with its key in one transaction, and left to the channel of messages (SPEC 12)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Protocol

import structlog

from watchdog.clock import Clock
from watchdog.errors import StoreUnavailable
from watchdog.model.oneline import one_line
from watchdog.model.records import Meta
from watchdog.scheduler import periods
from watchdog.scheduler.periods import Due, Kind, Rule

KEYS = "reports_done"
"""The fact in the store under which the keys are remembered."""

PACE = 60.0
"""Seconds between two looks, on the minutes of the wall clock."""

FIRST = 30.0
"""Seconds after a start before the first look: a report made now should know how the services are now."""

TELLS = 10
"""Tries in a row after which people hear that a report cannot be made: one that does not come is no good news."""

LONGEST = 120.0
"""Seconds that building one report may take; the others wait for it."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Occasion:
    """What a report is made for. since: when the one before was made, None when unknown; now: wall seconds."""

    due: Due
    since: float | None
    now: float


Builder = Callable[[Occasion], Awaitable[str | None]]
"""The text of a report; None when there is nothing to say. It may raise whatever it likes."""


class Store(Protocol):
    """`decisions/ports.Store`, as far as it is used here."""

    def put(self, record: Meta) -> None: ...
    async def commit(self) -> None: ...


class Scheduler:
    """builders: what can be made. rules, zone: asked at each look, since a reload may change them.

    say: writes the message of a report (its name, text and wall seconds) through the same store. complain: tells people that one
    cannot be made. failed: how often in a row, by key, the latest at the end. No error of a builder and no trouble of the store
    ends it.
    """

    def __init__(
        self,
        builders: Mapping[Kind, Builder],
        rules: Callable[[], Sequence[Rule]],
        zone: Callable[[], tzinfo],
        store: Store,
        say: Callable[[str, str, float], None],
        complain: Callable[[str, float], None],
        clock: Clock,
    ) -> None:
        self._builders, self._rules, self._zone = builders, rules, zone
        self._store, self._say, self._complain, self._clock = store, say, complain, clock
        self.done: dict[str, float] = {}
        self.failed: dict[str, int] = {}

    def remember(self, stored: str | None, now: float) -> None:
        """The keys as they were stored. A new store, or one whose keys cannot be read, starts with the past ones set."""
        known = periods.restore(stored)
        self.done = known if known is not None else periods.past(self._known(), now, self._zone())
        if known is None:
            self.write()

    def write(self) -> None:
        """The keys once more, for example into a file that was begun anew; nothing before they are remembered."""
        if self.done:
            self._store.put(Meta(KEYS, periods.dump(self.done)))

    def stepped(self, seconds: float) -> None:
        """The wall clock was set."""
        self.done = periods.stepped(self.done, seconds)
        self.write()

    async def run(self) -> None:
        """For ever."""
        await self._clock.sleep(FIRST)
        while True:
            now = self._clock.now()
            await self._clock.sleep(PACE - now % PACE)
            await self.tick(self._clock.now())

    async def tick(self, now: float) -> None:
        """At most one report. now: wall seconds."""
        zone, rules = self._zone(), self._known()
        waiting = periods.due(rules, now, zone, self.done)
        self.failed = {key: times for key, times in self.failed.items() if any(each.key == key for each in waiting)}
        task = periods.turn(waiting, tuple(self.failed))
        if task is None:
            return
        try:
            # So that the report is read from all that was put; and a store that cannot be written takes no report either.
            await self._store.commit()
            async with asyncio.timeout(LONGEST):
                text = await self._builders[task.kind](Occasion(task, self._since(task, now), now))
        except Exception as error:  # noqa: BLE001 - whatever it is, the other reports must come
            self._put_back(task, error, now)
            return
        self.failed.pop(task.key, None)
        self.done = periods.settled(self.done, task, rules, now, zone)
        # No await between the two: one transaction takes all that comes in one breath.
        self.write()
        if text is not None:
            self._say(task.kind.value, text, now)
        try:
            await self._store.commit()
        except StoreUnavailable:
            return  # told by the scribe, and kept by the store for its next commit

    def _put_back(self, task: Due, error: Exception, now: float) -> None:
        """To the end of the order. Tried each minute: one trace and one word to people are enough."""
        times = self.failed.pop(task.key, 0) + 1
        self.failed[task.key] = times
        _log.error("report_failed", key=task.key, times=times, reason=repr(error), exc_info=error if times == 1 else None)
        if times == TELLS and not isinstance(error, StoreUnavailable):
            # A store that cannot be written has been told already, and loudly.
            self._complain(f"🟡 The {task.kind} cannot be made: {one_line(str(error), 120)}. It is tried again each minute.", now)

    def _known(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self._rules() if rule.kind in self._builders)

    def _since(self, task: Due, now: float) -> float | None:
        before = periods.since(self.done, task.kind)
        return before if before is not None and before < now else None
