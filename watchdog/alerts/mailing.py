"""What delivery itself has to say: a message is late or repeated, an outage held some back, a chat is not well. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import tzinfo

from watchdog.model.incident import Tier
from watchdog.model.oneline import one_line
from watchdog.model.phrases import lasted, moment
from watchdog.model.records import Notice, NoticeKind

LATE = 120.0
"""Seconds from a message's own time from which it says that it is late."""

LINES = 40
"""Of a summary."""


def dressed(text: str, late: float, *, repeated: bool) -> str:
    """The message with what delivery adds. late: seconds. The first line stays the first: a lock screen shows no more."""
    head, *rest = text.split("\n")
    if repeated:
        head += " (repeat)"
    if late >= LATE:
        rest.append(f"Delayed {lasted(late)}: this could not be sent before.")
    return "\n".join([head, *rest])


def summary(notices: Iterable[Notice], now: float, tz: tzinfo) -> str:
    """One message for all that was not urgent any more when it could be sent at last."""
    told = list(notices)
    since = min(notice.at for notice in told)
    shown = told if len(told) <= LINES else [*told[: LINES // 2], *told[-LINES // 2 :]]
    rows = [f"{moment(notice.at, now, tz)} {_line(notice)}" for notice in shown]
    if len(told) > LINES:
        rows.insert(LINES // 2, f"… {len(told) - LINES} more")
    head = f"📭 {len(told)} messages of the last {lasted(now - since)} that could not be sent in time"
    return "\n".join([head, "", *rows, "", "All of them: watchdogctl incidents"])


def _line(notice: Notice) -> str:
    """The first line says who, what, since when; that of what is still critical says so by its own sign."""
    first = notice.text.split("\n", 1)[0]
    over = notice.kind is NoticeKind.CLOSE or notice.tier is not Tier.CRITICAL
    return one_line(first, 120) if over else f"{one_line(first, 110)} (not over)"


def moved(address: str, moved_to: int) -> str:
    """To the operator: the configuration names a chat that is no more."""
    chat = address.partition(":")[2]
    change = "I write there; put the new id into alerts.telegram.chats."
    return f"🟡 Telegram: the group {chat} is a supergroup now, {moved_to}. {change}"


def topicless(address: str) -> str:
    return f"🟡 Telegram: the topic of {address.partition(':')[2]} is closed or gone. I write into the group itself."


def probe(clock: str) -> str:
    """What `watchdogctl notify test` sends."""
    return f"✓ A test of bot-watchdog at {clock}. Alerts arrive here."
