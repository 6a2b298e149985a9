"""What waits for one address, what it shows already, and until when it rests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

from watchdog.alerts.buckets import PER_BOT, PER_CHAT, Bucket
from watchdog.alerts.parcels import Parcel, Shown, Waiting, choose
from watchdog.model.incident import Tier
from watchdog.model.letter import Chat, Letter
from watchdog.model.records import Notice

MOST = 1000
"""Letters that wait at one address at most; beyond it the oldest that is not critical is given up."""


@dataclass
class Line:
    """What the addresses of one bot share. off: why the bot is not let in. until: monotonic seconds before which nothing is sent.

    slowed: by address, until when it was told to wait.
    """

    off: str = ""
    until: float = 0.0
    bucket: Bucket = field(default_factory=lambda: Bucket(PER_BOT))
    slowed: dict[str, float] = field(default_factory=dict)

    def slow(self, address: str, until: float, now: float) -> None:
        """One chat that is told to wait is its own trouble; a second one means that all are meant."""
        self.slowed = {name: at for name, at in self.slowed.items() if at > now} | {address: until}
        if len(self.slowed) > 1:
            self.until = max(self.until, *self.slowed.values())


class Box:
    """until: monotonic seconds before which nothing is sent there. skipped: by notice, until when what failed alone rests alone.

    told: notices that had a letter for it, incidents: those that they were about. busy: those that are being sent.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.chat = Chat(address)
        self.waiting: dict[int, Waiting] = {}
        self.shown: dict[int, Shown] = {}
        self.bucket = Bucket(PER_CHAT)
        self.until = 0.0
        self.skipped: dict[int, float] = {}
        self.told: set[int] = set()
        self.incidents: set[int] = set()
        self.busy: frozenset[int] = frozenset()
        self.news = asyncio.Event()

    def put(self, letter: Letter, notice: Notice) -> Letter | None:
        """One more; the letter that has to be given up for it, if any."""
        self.waiting[letter.notice] = Waiting(letter, notice)
        self.note(letter)
        self.news.set()
        if len(self.waiting) <= MOST:
            return None
        soft = (
            each for each in self.waiting.values() if each.notice.tier is not Tier.CRITICAL and each.notice.id not in self.busy
        )
        oldest = min(soft, key=lambda each: each.notice.id, default=None)
        return self.waiting.pop(oldest.notice.id).letter if oldest is not None else None

    def note(self, letter: Letter) -> None:
        """It had this letter."""
        self.told.add(letter.notice)
        if letter.incident is not None:
            self.incidents.add(letter.incident)

    def replace(self, letters: Iterable[Letter]) -> None:
        """Letters as they are now; those that are done with leave."""
        for letter in letters:
            if letter.waits:
                self.waiting[letter.notice] = Waiting(letter, self.waiting[letter.notice].notice)
            else:
                self.waiting.pop(letter.notice, None)
                self.skipped.pop(letter.notice, None)

    def next(self, now: float, mono: float) -> Parcel | None:
        """now: wall seconds; mono: monotonic seconds."""
        ready = [each for number, each in self.waiting.items() if self.skipped.get(number, 0.0) <= mono]
        return choose(ready or self.waiting.values(), self.shown, now)
