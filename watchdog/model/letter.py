"""A notice on its way to one place where people read: the rows of the outbox (SPEC 11). Times are wall seconds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class LetterState(StrEnum):
    """waiting: not there yet. sent: there. merged: a later word about the same incident took its place. summed: in a summary.

    unsure: it may be there, and asking again would only double it. refused, dropped: given up, `detail` says why.
    """

    WAITING = "waiting"
    SENT = "sent"
    MERGED = "merged"
    SUMMED = "summed"
    UNSURE = "unsure"
    REFUSED = "refused"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Letter:
    """One notice for one address. Written in the transaction of its notice, done only after delivery.

    address: `telegram:111111111`, `webhook:...`. muted: without sound whatever its tier says. attempts: tries that failed; a wait
    that was asked for is none. doubts: tries after which nobody knows whether it arrived. not_before: no try before that moment;
    tried_at: when that was decided, so that a clock which somebody sets cannot make the wait longer. began_at: a try is under
    way, or the daemon died in it. message_id: the message that shows it. digest: of what that message shows.
    detail: why it waits or was given up, in words for people.
    """

    notice: int
    address: str
    incident: int | None = None
    state: LetterState = LetterState.WAITING
    muted: bool = False
    attempts: int = 0
    doubts: int = 0
    not_before: float = 0.0
    tried_at: float | None = None
    began_at: float | None = None
    done_at: float | None = None
    message_id: int | None = None
    digest: str = ""
    detail: str = ""

    @property
    def waits(self) -> bool:
        return self.state is LetterState.WAITING


@dataclass(frozen=True, slots=True)
class Chat:
    """What was learnt of an address. moved_to: the supergroup that a group became. topicless: its topic is gone.

    off: why nothing is sent there now; "" while it is open.
    """

    address: str
    moved_to: int | None = None
    topicless: bool = False
    off: str = ""
