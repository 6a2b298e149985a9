"""The outbox: a letter for each notice and each place where people read, kept on disk until it is there (SPEC 11).

One admin who cannot be reached costs the others nothing. What reached nobody is tried for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any, Protocol

from watchdog.alerts.box import Box, Line
from watchdog.alerts.channel import Channels
from watchdog.alerts.courier import Courier
from watchdog.alerts.detour import CHECK_EVERY, stranded
from watchdog.alerts.parcels import Shown
from watchdog.alerts.reach import Reach, reach
from watchdog.alerts.settling import interrupted, remaining
from watchdog.alerts.trial import trial
from watchdog.clock import Clock
from watchdog.config.schema import Alerts, Silent
from watchdog.model.incident import Tier
from watchdog.model.letter import Chat, Letter, LetterState
from watchdog.model.phrases import moment
from watchdog.model.records import Notice, NoticeKind

SHOWS = frozenset({LetterState.SENT, LetterState.MERGED})
"""Letters whose message is that of their incident; that of a summary is not."""


THERE = SHOWS | {LetterState.SUMMED}


class Book(Protocol):
    """`decisions/ports.Store`: buffered in order, durable by a commit."""

    def put(self, record: Letter | Chat | Notice) -> None: ...
    async def commit(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Care:
    """Whom the outbox turns to. remark: a soft word to the operator. dice: a number in [0, 1)."""

    zone: Callable[[], tzinfo]
    remark: Callable[[str], None]
    dice: Callable[[], float]


class Outbox:
    """Used from one event loop. `take` is called in the breath in which the notice is put: one transaction."""

    def __init__(self, channels: Channels, alerts: Alerts, book: Book, clock: Clock, care: Care) -> None:
        self._channels, self._alerts = channels, alerts
        self._book, self._clock, self._care = book, clock, care
        self._lines: dict[str, Line] = {}
        self._boxes: dict[str, Box] = {}
        self._couriers: dict[str, Courier] = {}
        self._undelivered: dict[int, Notice] = {}
        self._changed = asyncio.Event()
        self.dropped = 0
        self._open_boxes()

    def take(self, notice: Notice, *, muted: bool = False) -> bool:
        """Letters for a notice that was just put; False when nobody but the log hears of it. muted: without sound."""
        if notice.tier is Tier.SILENT and self._alerts.silent is Silent.LOG:
            return False
        boxes = [self._boxes[channel.address] for channel in self._channels.chats]
        other = self._channels.fallback
        if other is not None and notice.incident in self._boxes[other.address].incidents:
            boxes.append(self._boxes[other.address])
        for box in boxes:
            self._post(box, notice, muted=muted)
        return bool(boxes)

    def remember(self, letters: Iterable[Letter], notices: Iterable[Notice], chats: Iterable[Chat]) -> frozenset[int]:
        """What an earlier life of the daemon left. The notices that have letters: their delivery is ours."""
        now, mono = self._clock.now(), self._clock.monotonic()
        by_id = {notice.id: notice for notice in notices}
        self._undelivered = {number: notice for number, notice in by_id.items() if notice.delivered_at is None}
        for chat in chats:
            if chat.address in self._boxes:
                self._boxes[chat.address].chat = replace(chat, off="")
        carried: set[int] = set()
        for letter in sorted(letters, key=lambda each: each.notice):
            carried.add(letter.notice)
            self._recall(letter, by_id.get(letter.notice), now, mono)
        return frozenset(carried | self._readdress())

    def use(self, channels: Channels, alerts: Alerts) -> None:
        """Those of a reload. A chat or bot that was closed to us is tried again."""
        self._channels, self._alerts = channels, alerts
        self._open_boxes()
        for courier in self._couriers.values():
            courier.let_in()
        self._readdress()
        self._changed.set()

    def reach(self) -> Reach:
        """Whether people are reached."""
        closed = {name: each.line.off or each.box.chat.off for name, each in self._couriers.items()}
        waiting = set[int]().union(*(box.waiting for box in self._boxes.values()))
        return reach((each for number, each in self._undelivered.items() if number in waiting), closed)

    async def trial(self) -> dict[str, Any]:
        """A test message to each address now, past everything that waits; what came of each."""
        now = self._clock.now()
        told = await trial(self._channels, moment(now, now, self._care.zone(), zone=True))
        for each in told["chats"]:
            if each["ok"] and (courier := self._couriers.get(each["to"])) is not None:
                courier.let_in()
        return told

    async def run(self) -> None:
        """Keeps a courier for each address. A failure of one is everybody's, and ends here."""
        tasks: dict[str, asyncio.Task[None]] = {}
        try:
            while True:
                self._changed.clear()
                for address in tasks.keys() - self._couriers.keys():
                    tasks.pop(address).cancel()
                for address in self._couriers.keys() - tasks.keys():
                    tasks[address] = asyncio.create_task(self._couriers[address].run(), name=address)
                await self._watch(tasks)
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)

    async def _watch(self, tasks: Mapping[str, asyncio.Task[None]]) -> None:
        """Until something changed; every few seconds what is critical and stranded finds another way."""
        changed = asyncio.create_task(self._changed.wait())
        try:
            while not changed.done():
                every = CHECK_EVERY if self._channels.fallback is not None and self._undelivered else None
                done, _ = await asyncio.wait({changed, *tasks.values()}, timeout=every, return_when=asyncio.FIRST_COMPLETED)
                for task in done - {changed}:
                    task.result()
                self._detour()
        finally:
            changed.cancel()

    def _open_boxes(self) -> None:
        """A box and a courier for each address; what waits for one that left the configuration is given up."""
        wanted = {channel.address: channel for channel in self._channels.all}
        for address in self._boxes.keys() - wanted.keys():
            box = self._boxes.pop(address)
            self._couriers.pop(address)
            for each in box.waiting.values():
                self._give_up(each.letter, "this chat is not in the configuration any more")
        for address, channel in wanted.items():
            line = self._lines.setdefault(channel.line, Line())
            if address in self._couriers:
                self._couriers[address].channel = channel
                continue
            box = self._boxes[address] = Box(address)
            self._couriers[address] = Courier(
                channel, box, line, self._book, self._clock, self._care.zone, self._care.dice, self._carried, self._care.remark
            )  # fmt: skip

    def _post(self, box: Box, notice: Notice, *, muted: bool) -> None:
        letter = Letter(notice.id, box.address, notice.incident, muted=muted)
        self._book.put(letter)
        first = notice.delivered_at is None and not self._undelivered
        if notice.delivered_at is None:
            self._undelivered[notice.id] = notice
        if first and self._channels.fallback is not None:
            self._changed.set()
        crowded_out = box.put(letter, notice)
        if crowded_out is not None:
            self._give_up(crowded_out, "too many messages wait for this chat")

    def _readdress(self) -> set[int]:
        """What nobody has, and none of the chats of now has a letter for, goes to them: theirs left the configuration."""
        known = set[int]().union(*(box.told for box in self._boxes.values()))
        return {number for number, notice in tuple(self._undelivered.items()) if number not in known and self.take(notice)}

    def _give_up(self, letter: Letter, why: str) -> None:
        self.dropped += 1
        self._book.put(replace(letter, state=LetterState.DROPPED, done_at=self._clock.now(), detail=why))

    def _recall(self, letter: Letter, notice: Notice | None, now: float, mono: float) -> None:
        box = self._boxes.get(letter.address)
        if letter.waits and (box is None or notice is None):
            self._give_up(letter, "this chat is not in the configuration any more")
            return
        if box is None:
            return
        box.note(letter)
        if letter.waits and notice is not None:
            if letter.began_at is not None:
                letter = interrupted(letter, notice, now)
                self._book.put(letter)
            if letter.waits:
                box.put(letter, notice)
                box.until = max(box.until, mono + remaining(letter, now))
        if letter.state in SHOWS and letter.incident is not None and letter.message_id is not None:
            over = notice is not None and notice.kind is NoticeKind.CLOSE
            box.shown[letter.incident] = Shown(letter.message_id, letter.digest, over=over)

    def _carried(self, box: Box, letters: tuple[Letter, ...]) -> None:
        """After a try: a notice is done when one admin has it, and then no closed chat has to be knocked at for it."""
        now = self._clock.now()
        for letter in letters:
            notice = self._undelivered.get(letter.notice)
            if notice is not None and letter.state in THERE:
                del self._undelivered[letter.notice]
                self._book.put(replace(notice, delivered_at=now))
        if box.chat.off:
            self._spare(box, now)
        for other in self._boxes.values():
            if other is not box and other.chat.off:
                self._spare(other, now)

    def _spare(self, box: Box, now: float) -> None:
        """A chat that is closed to us does not keep what others have already."""
        spared = [each.letter for each in box.waiting.values() if each.letter.notice not in (self._undelivered.keys() | box.busy)]
        done = [replace(each, state=LetterState.REFUSED, began_at=None, done_at=now, detail=box.chat.off) for each in spared]
        box.replace(done)
        for letter in done:
            self._book.put(letter)

    def _detour(self) -> None:
        other = self._channels.fallback
        if other is None:
            return
        box, now, mono = self._boxes[other.address], self._clock.now(), self._clock.monotonic()
        chats = [self._couriers[channel.address] for channel in self._channels.chats]
        for notice in list(self._undelivered.values()):
            if notice.id not in box.told and stranded(notice, [(each.box, each.line) for each in chats], now, mono):
                self._post(box, notice, muted=False)
