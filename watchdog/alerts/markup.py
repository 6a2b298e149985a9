"""How a message looks on Telegram: the same words as everywhere, with its labels in bold and its commands to be touched.

No column is kept with spaces: on a phone a line of letters of one width wraps under its label and reads worse than a bold word.
Text of bots is never markup: everything is escaped. Pure.
"""

from __future__ import annotations

import re

from watchdog.alerts.layout import COLUMN

LONGEST = 4096
"""UTF-16 units of the text after its markup is read (Bot API, sendMessage)."""

ENTITIES = 90
"""Marks of one message; Telegram ignores those beyond a hundred, silently."""

_LABEL = re.compile(rf"(?=.{{{COLUMN}}}\S)([A-Z][a-z]+) +(\S.*)")
_ACT = "Act"
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a bot's text may paint with: controls, line separators, changes of direction; and what no UTF-8 holds."""


def units(text: str) -> int:
    """Length as Telegram counts it at most: UTF-16 units."""
    return sum(2 if ord(char) > 0xFFFF else 1 for char in text)


def clean(text: str) -> str:
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text)


def escaped(text: str) -> str:
    """Exactly the three characters that HTML of the Bot API asks for."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def html(text: str) -> str:
    """The message with its first line and its labels in bold, and what is to be typed as code."""
    out, label, left = [], "", ENTITIES
    for number, line in enumerate(clean(text).split("\n")):
        found = _LABEL.fullmatch(line)
        follows = line.startswith(" " * COLUMN) and label
        label = found[1] if found else label if follows else ""
        value = found[2] if found else line[COLUMN:] if follows else line
        shown = escaped(value)
        if number == 0 or (label == _ACT and left > 0):
            shown = _bold(shown) if number == 0 else _code(value)
            left -= 1
        if found and left > 0:
            shown = f"{_bold(label)} {shown}"
            left -= 1
        elif found:
            shown = f"{label} {shown}"
        out.append(shown)
    return "\n".join(out)


def plain(text: str) -> str:
    """The same without any markup, for a chat that could not read ours."""
    return clean(text)


def shortened(text: str, limit: int = LONGEST) -> str:
    """At most `limit` units: the longest lines lose their middle first, then lines of the middle go. Never cut inside markup,
    for there is none yet.
    """
    if units(text) <= limit:
        return text
    rows = text.split("\n")
    for width in (400, 200, 120, 80):
        rows = [_middle_out(row, width) for row in rows]
        if units("\n".join(rows)) <= limit:
            return "\n".join(rows)
    kept = list(rows)
    while len(kept) > 2 and units("\n".join(kept)) > limit - 40:
        kept.pop(len(kept) // 2)
    gone = len(rows) - len(kept)
    middle = len(kept) // 2
    return "\n".join([*kept[:middle], f"… {gone} lines are left out here", *kept[middle:]])


def _middle_out(row: str, width: int) -> str:
    """Head and tail: both ends of a value say more than its middle."""
    return row if len(row) <= width else f"{row[: width * 2 // 3]} … {row[-(width // 3 - 3) :]}"


def _bold(shown: str) -> str:
    return f"<b>{shown}</b>" if shown.strip() else shown


def _code(value: str) -> str:
    """`watchdogctl resume # heal now`: the command to be touched, then what it means."""
    command, gap, meaning = value.partition("#")
    return f"<code>{escaped(command.strip())}</code>" + (f" ({escaped(meaning.strip())})" if gap else "")
