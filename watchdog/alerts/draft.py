"""One call as it is about to be made, and how it is mended when the answer says that this form of it cannot go. Pure."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from watchdog.alerts.answers import Answer, Verdict
from watchdog.alerts.markup import LONGEST, shortened


@dataclass(frozen=True, slots=True)
class Draft:
    """text: as people read it, without markup. chat: the id that is used now. topic: of a group, None for its General topic.

    edits: the message to be changed. answers: the message it replies to. limit: units of text. marked: with markup.
    """

    text: str
    chat: int = 0
    topic: int | None = None
    edits: int | None = None
    answers: int | None = None
    quiet: bool = True
    marked: bool = True
    limit: int = LONGEST

    @property
    def shown(self) -> str:
        """What goes out of the text."""
        return shortened(self.text, self.limit)

    @property
    def cut(self) -> bool:
        """Something of the text is left out."""
        return self.shown != self.text

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.shown.encode("utf-8", "replace")).hexdigest()[:16]


def mended(draft: Draft, answer: Answer) -> Draft | None:
    """The draft to be tried at once; None when there is nothing to mend. Each remedy is used once, so that it ends."""
    match answer.verdict:
        case Verdict.MOVED if answer.moved_to is not None and answer.moved_to != draft.chat:
            return replace(draft, chat=answer.moved_to, topic=None)
        case Verdict.UNPARSED | Verdict.REFUSED if draft.marked:
            return replace(draft, marked=False)
        case Verdict.REFUSED if draft.edits is not None:
            return replace(draft, edits=None)
        case Verdict.TOO_LONG if draft.limit == LONGEST:
            return replace(draft, limit=LONGEST // 2)
        case Verdict.NO_TOPIC if draft.topic is not None:
            return replace(draft, topic=None)
        case Verdict.NO_MESSAGE if draft.edits is not None:
            return replace(draft, edits=None)
    return None
