"""Carries the letters of one address to it, one after the other: reads, asks the rules, sends, writes down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import tzinfo
from typing import Protocol

from watchdog import logs
from watchdog.alerts import mailing
from watchdog.alerts.answers import Answer, Verdict
from watchdog.alerts.box import Box, Line
from watchdog.alerts.channel import Channel
from watchdog.alerts.draft import Draft, mended
from watchdog.alerts.parcels import Parcel, Shown, newest
from watchdog.alerts.settling import KNOCK, settled
from watchdog.clock import Clock
from watchdog.errors import StoreUnavailable
from watchdog.model.letter import Chat, Letter, LetterState

_log = logs.get("outbox")


class Book(Protocol):
    """Where couriers write down what they did (`decisions/ports.Store`)."""

    def put(self, record: Letter | Chat) -> None: ...
    async def commit(self) -> None: ...


class Courier:
    """carried: told of the letters after each try. remark: a soft word to the operator. dice: a number in [0, 1)."""

    def __init__(
        self,
        channel: Channel,
        box: Box,
        line: Line,
        book: Book,
        clock: Clock,
        zone: Callable[[], tzinfo],
        dice: Callable[[], float],
        carried: Callable[[Box, tuple[Letter, ...]], None],
        remark: Callable[[str], None],
    ) -> None:
        self.channel, self.box, self.line = channel, box, line
        self._book, self._clock, self._zone, self._dice = book, clock, zone, dice
        self._carried, self._remark = carried, remark

    async def run(self) -> None:
        """For ever; cancelled when the address leaves the configuration."""
        box, clock = self.box, self._clock
        while True:
            box.news.clear()
            parcel = box.next(clock.now(), clock.monotonic()) if box.waiting else None
            rest = max(box.until, self.line.until, parcel.due_at if parcel is not None else 0.0) - clock.monotonic()
            if parcel is None or rest > 0:
                await self._idle(rest if parcel is not None else None)
            elif self.line.off:
                await self._knock()
            else:
                try:
                    await self._carry(parcel)
                finally:
                    box.busy = frozenset()

    def let_in(self) -> None:
        """Whatever was closed is tried again: a test message has just arrived there, or somebody has reloaded."""
        self.box.chat = replace(self.box.chat, off="")
        self.line.off, self.line.until, self.box.until = "", 0.0, 0.0
        self.box.news.set()

    async def _idle(self, seconds: float | None) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self.box.news.wait()
        except TimeoutError:
            pass

    async def _knock(self) -> None:
        """The bot was not let in: its token may have been renewed. Asked by one courier for all of the line."""
        self.line.until = self._clock.monotonic() + KNOCK
        answer = await self.channel.check()
        if answer.verdict is Verdict.DONE:
            self.line.off, self.line.until = "", 0.0
            self.box.until = 0.0

    async def _carry(self, parcel: Parcel) -> None:
        """Written down as begun, sent, and written down as what came of it."""
        self.box.busy = frozenset(each.notice.id for each in parcel.covers)
        begun = [replace(each.letter, began_at=self._clock.now()) for each in parcel.covers]
        for letter in begun:
            self._book.put(letter)
        try:
            await self._book.commit()
        except StoreUnavailable:
            pass  # an alert goes on without its note (SPEC 15); at worst it is said twice
        draft = self._draft(parcel)
        shown = self.box.shown.get(parcel.incident) if parcel.incident is not None else None
        if parcel.edits is not None and shown is not None and shown.digest == draft.digest:
            answer = Answer(Verdict.DONE, message_id=parcel.edits)
        else:
            draft, answer = await self._send(draft, parcel)
        letters = settled(parcel, answer, draft.digest, self._clock.now(), self._dice)
        self.box.replace(letters)
        self._learn(parcel, draft, answer, letters)
        for letter in letters:
            self._book.put(letter)
        self.box.busy = frozenset()
        self._carried(self.box, letters)
        if answer.verdict is Verdict.DONE:
            await self._after(parcel, draft, answer)

    def _draft(self, parcel: Parcel) -> Draft:
        now, chat = self._clock.now(), self.box.chat
        if parcel.summary:
            text = mailing.summary(newest(parcel.covers), now, self._zone())
            text = mailing.dressed(text, 0.0, repeated=parcel.doubts > 0)
        else:
            late = now - parcel.since if parcel.edits is None else 0.0
            text = mailing.dressed(parcel.last.text, late, repeated=parcel.doubts > 0 and parcel.edits is None)
        empty = self.channel.draft(text, chat.moved_to, topicless=chat.topicless)
        return replace(empty, edits=parcel.edits, answers=parcel.answers, quiet=parcel.quiet)

    async def _send(self, draft: Draft, parcel: Parcel) -> tuple[Draft, Answer]:
        """One draft after the other, until nothing of it can be mended. The draft that counts, and its answer."""
        while True:
            await self._turn()
            answer = await self.channel.deliver(draft)
            better = mended(draft, answer)
            if better is None:
                return draft, answer
            if answer.verdict in (Verdict.UNPARSED, Verdict.REFUSED, Verdict.TOO_LONG):
                kind = parcel.last.kind.value
                _log.error("message_refused", address=self.box.address, incident=parcel.incident, message=kind, why=answer.text)
            self._relearn(draft, better)
            draft = better

    async def _turn(self) -> None:
        """Waits for the buckets of the chat and of the bot."""
        while (wait := max(self.box.bucket.wait(now := self._clock.monotonic()), self.line.bucket.wait(now))) > 0:
            await self._clock.sleep(wait)
        self.box.bucket.take(now)
        self.line.bucket.take(now)

    def _relearn(self, old: Draft, new: Draft) -> None:
        """The chat has another id, or its topic is gone: known from now on, and told once."""
        chat = self.box.chat
        if new.chat != old.chat:
            self._know(replace(chat, moved_to=new.chat))
            self._remark(mailing.moved(chat.address, new.chat))
        elif old.topic is not None and new.topic is None and not chat.topicless:
            self._know(replace(chat, topicless=True))
            self._remark(mailing.topicless(chat.address))

    def _know(self, chat: Chat) -> None:
        self.box.chat = chat
        self._book.put(chat)

    def _learn(self, parcel: Parcel, draft: Draft, answer: Answer, letters: Iterable[Letter]) -> None:
        """What the answer says beyond this one message."""
        mono, now = self._clock.monotonic(), self._clock.now()
        rest = max((letter.not_before - now for letter in letters if letter.waits), default=0.0)
        if answer.verdict is Verdict.DONE:
            self._reached(parcel, draft, answer, mono)
            return
        if answer.verdict is not self.box.trouble:
            _log.info("not_delivered", address=self.box.address, verdict=answer.verdict.value, why=answer.text)
        self.box.trouble = answer.verdict
        if answer.verdict is Verdict.AGAIN and answer.spoken and len(self.box.waiting) > len(parcel.covers):
            # Somebody is there and fails at this one: the next one may fare better.
            self.box.skipped.update({each.letter.notice: mono + rest for each in parcel.covers})
            rest = min(rest, 1.0)
        self.box.until = mono + max(0.0, rest)
        if answer.verdict is Verdict.WAIT:
            self.line.slow(self.box.address, self.box.until, mono)
        elif answer.verdict is Verdict.BOT_OFF:
            self.line.off, self.line.until = answer.text, mono + KNOCK
        elif answer.verdict is Verdict.CHAT_OFF and self.box.chat.off != answer.text:
            self._know(replace(self.box.chat, off=answer.text))

    def _reached(self, parcel: Parcel, draft: Draft, answer: Answer, mono: float) -> None:
        self.box.until, self.box.trouble = 0.0, None
        if self.box.chat.off:
            self._know(replace(self.box.chat, off=""))
        number = answer.message_id if answer.message_id is not None else parcel.edits
        if parcel.incident is not None and not parcel.summary and number is not None:
            before = self.box.shown.get(parcel.incident)
            over = before is not None and before.over and before.message_id == number
            self.box.shown[parcel.incident] = Shown(number, draft.digest, mono, over=over)

    def _shows_from_now_on(self, parcel: Parcel, draft: Draft, number: int) -> None:
        """The reply is what people read last: should the incident come back, it has to tell the truth."""
        last = parcel.covers[-1].letter
        done = replace(
            last, state=LetterState.SENT, began_at=None, done_at=self._clock.now(), message_id=number, digest=draft.digest
        )
        self._book.put(done)
        if parcel.incident is not None:
            self.box.shown[parcel.incident] = Shown(number, draft.digest, self._clock.monotonic(), over=True)

    async def _after(self, parcel: Parcel, draft: Draft, answer: Answer) -> None:
        """The reply that tells a close to who does not look at old messages, and what did not fit. Neither is worth a retry."""
        number = answer.message_id if answer.message_id is not None else parcel.edits
        if number is None:
            return
        if parcel.reply and draft.edits is not None:
            reply = replace(draft, edits=None, answers=number, quiet=True)
            reply, told = await self._send(reply, parcel)
            if told.verdict is Verdict.DONE and told.message_id is not None:
                self._shows_from_now_on(parcel, reply, told.message_id)
        if draft.cut:
            await self._turn()
            await self.channel.attach(draft, number)
