"""When something critical takes another way: none of its chats will have it soon (SPEC 11). Pure."""

from __future__ import annotations

from collections.abc import Sequence

from watchdog.alerts.box import Box, Line
from watchdog.model.incident import Tier
from watchdog.model.records import Notice, NoticeKind

CHECK_EVERY = 10.0
"""Seconds between two looks for it."""

TOO_LONG = 120.0
"""Seconds of a wait that a chat or the bot was told to keep, above which another way is taken at once."""

PATIENCE = 300.0
"""Seconds after which it is taken whatever the reason."""


def stranded(notice: Notice, chats: Sequence[tuple[Box, Line]], now: float, mono: float) -> bool:
    """A critical notice that has reached nobody, and will not soon. now: wall seconds, mono: monotonic."""
    if notice.tier is not Tier.CRITICAL or notice.kind is NoticeKind.CLOSE:
        return False
    if now - notice.at >= PATIENCE:
        return True
    return all(_closed(notice, box, line, mono) for box, line in chats)


def _closed(notice: Notice, box: Box, line: Line, mono: float) -> bool:
    gone = notice.id not in box.waiting
    return gone or bool(box.chat.off or line.off) or max(box.until, line.until) - mono > TOO_LONG
