"""What the outbox sees of the places where people read: real in `telegram.py` and `webhook.py`, fake in the simulator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from watchdog.alerts.answers import Answer
from watchdog.alerts.draft import Draft


class Channel(Protocol):
    """One address. Nothing here raises: whatever happens is an answer, within a deadline of its own."""

    @property
    def address(self) -> str:
        """`telegram:111111111`, as the outbox names it."""
        ...

    @property
    def line(self) -> str:
        """What it shares with others: the bot, whose limits and troubles are theirs too."""
        ...

    def draft(self, text: str, moved_to: int | None, *, topicless: bool) -> Draft:
        """An empty letterhead for a text: its chat and topic as they are known now."""
        ...

    async def deliver(self, draft: Draft) -> Answer: ...

    async def attach(self, draft: Draft, message_id: int) -> Answer:
        """The whole text as a file, in reply to the message that shows only a part of it."""
        ...

    async def check(self) -> Answer:
        """Whether the bot itself is let in."""
        ...


@dataclass(frozen=True, slots=True)
class Channels:
    """chats: every one is told by itself. fallback: told what is critical while none of them can be reached."""

    chats: tuple[Channel, ...] = ()
    fallback: Channel | None = None

    @property
    def all(self) -> tuple[Channel, ...]:
        return (*self.chats, self.fallback) if self.fallback is not None else self.chats
