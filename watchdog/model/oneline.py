"""Foreign text made safe to show: one line, no control codes, no tricks with direction, cut by value (SPEC 15)."""

from __future__ import annotations

import re

ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
"""Terminal sequences go as a whole, so that no `[31m` is left behind."""

_UNSEEN = re.compile("[\x00-\x20\x7f-\xa0\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufff9-\uffff]+")


_UNSEEN_ONE = re.compile(_UNSEEN.pattern.removesuffix("+"))


def in_place(text: str, limit: int) -> str:
    """As `one_line`, for text laid out in columns: every blank stays where it is, and what cannot be shown becomes one."""
    line = _UNSEEN_ONE.sub(" ", ESCAPES.sub("", text))
    return line if len(line) <= limit else line[: max(0, limit - 1)].rstrip() + "…"


def one_line(text: str, limit: int = 200) -> str:
    """`text` as one printable line of at most `limit` characters; what was cut ends in an ellipsis."""
    # A margin is cut first: 100 kB of a traceback need not be searched for the two hundred characters that are shown.
    line = _UNSEEN.sub(" ", ESCAPES.sub("", text[: limit * 8 + 64])).strip()
    if len(line) <= limit and len(text) <= limit * 8 + 64:
        return line
    return line if len(line) < limit else line[: max(0, limit - 1)].rstrip() + "…"
