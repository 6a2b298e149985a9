"""What goes out next to one place where people read: the order, what is merged, what is edited, what becomes a summary (SPEC 11).

One incident is one message there. Of what waits about it only the newest word is said, and it stands for the others. What is
critical and still so goes first. After an outage the rest becomes one summary. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from watchdog.model.incident import Tier
from watchdog.model.letter import Letter
from watchdog.model.records import Notice, NoticeKind

EDITS_APART = 30.0
"""Seconds between two edits of one message."""

OUTAGE = 600.0
"""Seconds that the oldest message has waited when those that are not urgent become a summary ..."""
FEW = 3
"""... if there are so many of them."""
CROWD = 12
"""So many of them become a summary however young they are."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The message that shows an incident at one address. at: monotonic seconds of its last change. digest: of what it shows.

    over: it is the reply that told a close; one that comes back and goes again gets no second one.
    """

    message_id: int
    digest: str = ""
    at: float = float("-inf")
    over: bool = False


@dataclass(frozen=True, slots=True)
class Waiting:
    letter: Letter
    notice: Notice


@dataclass(frozen=True, slots=True)
class Parcel:
    """One call, or for the close of a critical incident an edit and its reply.

    covers: what is done with it, in order; more than one incident makes a summary. edits: the message that is changed; None: a
    new one. answers: the message it is a reply to. reply: the edit is followed by a reply without sound that says the same.
    due_at: monotonic seconds before which it must not go.
    """

    covers: tuple[Waiting, ...]
    edits: int | None = None
    answers: int | None = None
    quiet: bool = True
    reply: bool = False
    due_at: float = 0.0

    @property
    def last(self) -> Notice:
        """The newest word: what is said."""
        return self.covers[-1].notice

    @property
    def incident(self) -> int | None:
        return self.last.incident

    @property
    def summary(self) -> bool:
        return len({_subject(each) for each in self.covers}) > 1

    @property
    def since(self) -> float:
        """Wall seconds of the first word that it stands for."""
        return min(each.notice.at for each in self.covers)

    @property
    def loud(self) -> bool:
        """About something critical that is not over, and news."""
        return self.edits is None and self.last.tier is Tier.CRITICAL and self.last.kind is not NoticeKind.CLOSE

    @property
    def doubts(self) -> int:
        return max(each.letter.doubts for each in self.covers)


def choose(waiting: Iterable[Waiting], shown: Mapping[int, Shown], now: float) -> Parcel | None:
    """The next parcel; its `due_at` may be later. now: wall seconds."""
    parcels = [_parcel(list(group), shown) for _, group in groupby(sorted(waiting, key=_order), key=_subject)]
    parcels.sort(key=lambda parcel: parcel.covers[0].letter.notice)
    loud = [parcel for parcel in parcels if parcel.loud]
    rest = [parcel for parcel in parcels if not parcel.loud]
    # A report is a message of its own (SPEC 12): one line of a summary would lose what it tells.
    news = [parcel for parcel in rest if parcel.edits is None and parcel.last.kind is not NoticeKind.REPORT]
    if loud:
        return loud[0]
    if len(news) >= CROWD or (len(news) >= FEW and now - min(parcel.since for parcel in news) >= OUTAGE):
        covers = sorted((each for parcel in news for each in parcel.covers), key=lambda each: each.letter.notice)
        return Parcel(tuple(covers))
    return min(rest, key=lambda parcel: parcel.due_at, default=None)


def newest(covers: Sequence[Waiting]) -> list[Notice]:
    """Of each incident its newest word, in the order of their first ones: the lines of a summary."""
    last: dict[tuple[int, int], Notice] = {}
    for each in covers:
        last[_subject(each)] = each.notice
    return list(last.values())


def _subject(each: Waiting) -> tuple[int, int]:
    """An incident; a notice about none stands for itself."""
    return (each.notice.incident, 0) if each.notice.incident is not None else (0, each.notice.id)


def _order(each: Waiting) -> tuple[tuple[int, int], int]:
    return _subject(each), each.notice.id


def _parcel(covers: list[Waiting], shown: Mapping[int, Shown]) -> Parcel:
    last = covers[-1].notice
    root = shown.get(last.incident) if last.incident is not None else None
    if last.kind is NoticeKind.CLOSE and root is not None:
        return Parcel(tuple(covers), edits=root.message_id, reply=last.tier is Tier.CRITICAL and not root.over)
    news = [each for each in covers if each.notice.kind is NoticeKind.NEW]
    if root is not None and not news:
        return Parcel(tuple(covers), edits=root.message_id, due_at=root.at + EDITS_APART)
    sound = last.kind is not NoticeKind.CLOSE and last.tier is Tier.CRITICAL and any(not each.letter.muted for each in news)
    return Parcel(tuple(covers), answers=root.message_id if root is not None else None, quiet=not sound)
