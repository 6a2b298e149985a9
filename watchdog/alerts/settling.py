"""What becomes of letters after an answer: done, later, given up, or in doubt (SPEC 11). Pure.

At least once: nothing critical is ever given up, but for a message that can never go. Nothing that may have arrived is said twice
without saying so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from recovery.backoff import pause
from watchdog.alerts.answers import Answer, Verdict
from watchdog.alerts.parcels import Parcel, Waiting
from watchdog.model.incident import Tier
from watchdog.model.letter import Letter, LetterState
from watchdog.model.records import Notice

KNOCK = 300.0
"""Seconds between two tries while a chat or the bot itself is closed to us: somebody may have opened it again."""

JITTER = 0.1
"""Of a wait that was asked for, at most, on top of it: not everybody shall be back at the same moment."""


def settled(parcel: Parcel, answer: Answer, digest: str, now: float, dice: Callable[[], float]) -> tuple[Letter, ...]:
    """The letters of the parcel after a try. digest: of what was shown. now: wall seconds. dice: a number in [0, 1)."""
    return tuple(_settled(each, parcel, answer, digest, now, dice) for each in parcel.covers)


def _settled(each: Waiting, parcel: Parcel, answer: Answer, digest: str, now: float, dice: Callable[[], float]) -> Letter:
    letter = replace(each.letter, began_at=None, tried_at=now, detail=answer.text)
    match answer.verdict:
        case Verdict.DONE:
            state = LetterState.SUMMED if parcel.summary else _done(each, parcel)
            shows = answer.message_id if answer.message_id is not None else parcel.edits
            return replace(letter, state=state, done_at=now, message_id=shows, digest=digest, detail="")
        case Verdict.WAIT:
            return replace(letter, not_before=now + answer.wait * (1 + JITTER * dice()))
        case Verdict.CHAT_OFF | Verdict.BOT_OFF:
            return replace(letter, not_before=now + KNOCK)
        case Verdict.DOUBT:
            return doubted(replace(letter, attempts=letter.attempts + 1), each.notice, now, dice, edits=parcel.edits is not None)
        case Verdict.AGAIN if answer.wait:
            return replace(letter, not_before=now + answer.wait)
        case Verdict.AGAIN | Verdict.MOVED:
            attempts = letter.attempts + 1
            return replace(letter, attempts=attempts, not_before=now + pause(attempts, dice))
    return replace(letter, state=LetterState.REFUSED, done_at=now)


def _done(each: Waiting, parcel: Parcel) -> LetterState:
    return LetterState.SENT if each.notice is parcel.last else LetterState.MERGED


def doubted(letter: Letter, notice: Notice, now: float, dice: Callable[[], float], *, edits: bool = False) -> Letter:
    """It may have arrived. An edit is made again. What is critical is said again, marked as repeated; the rest once more."""
    if edits:
        return replace(letter, not_before=now + pause(max(1, letter.attempts), dice))
    if letter.doubts and notice.tier is not Tier.CRITICAL:
        return replace(letter, state=LetterState.UNSURE, done_at=now, doubts=letter.doubts + 1)
    return replace(letter, doubts=letter.doubts + 1, not_before=now + pause(max(1, letter.attempts), dice))


def interrupted(letter: Letter, notice: Notice, now: float) -> Letter:
    """The daemon died while it was being sent. A report, which is about no incident, is not said twice for that."""
    letter = replace(letter, began_at=None, detail="the daemon ended while this was being sent")
    if notice.incident is None and notice.tier is not Tier.CRITICAL:
        return replace(letter, state=LetterState.UNSURE, done_at=now)
    if letter.doubts and notice.tier is not Tier.CRITICAL:
        return replace(letter, state=LetterState.UNSURE, done_at=now)
    return replace(letter, doubts=letter.doubts + 1)


def remaining(letter: Letter, now: float) -> float:
    """Seconds until it may be tried, after a start of the daemon: never longer than when that was decided, whatever somebody did
    to the clock meanwhile.
    """
    asked = letter.not_before - letter.tried_at if letter.tried_at is not None else 0.0
    return max(0.0, min(letter.not_before - now, asked))
