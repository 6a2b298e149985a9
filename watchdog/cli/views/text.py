"""Text of bots on a terminal: made harmless, measured in columns, cut and padded."""

from __future__ import annotations

import re
import unicodedata

from watchdog.model.oneline import in_place, one_line

LONGEST = 1000
"""Characters of one value on a screen."""

_TEXT = re.compile(r" *(?:\S+ {2,})?")
"""What stands before the text of a line: blanks, a label with its column."""


def clean(text: str) -> str:
    """One line that cannot move the cursor, change colours or turn the direction of writing."""
    return one_line(text, LONGEST)


def clean_line(text: str) -> str:
    """As `clean`, for a line of a log: its leading blanks stay."""
    indent = len(text) - len(text.lstrip(" \t"))
    return " " * indent + clean(text[indent:])


def as_written(line: str) -> str:
    """One line of a text that was laid out in columns: harmless as `clean`, and its blanks stay."""
    return in_place(line, LONGEST).rstrip()


def columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    return sum(_wide(ch) for ch in text)


def cut(text: str, width: int) -> str:
    """The text in at most `width` columns, with … when something is missing."""
    if columns(text) <= width:
        return text
    kept, left = "", width - 1
    for ch in text:
        left -= _wide(ch)
        if left < 0:
            break
        kept += ch
    return kept.rstrip() + "…" if width > 0 else ""


def pad(text: str, width: int) -> str:
    """The text in exactly `width` columns."""
    text = cut(text, width)
    return text + " " * (width - columns(text))


def folded(text: str, width: int, indent: str = "") -> list[str]:
    """The text in lines of at most `width` columns, broken at blanks; lines after the first begin with `indent`."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if line and columns(longer) > width:
            lines.append(line)
            line = indent + word
        else:
            line = longer
    return [*lines, line]


def wrapped(line: str, width: int) -> list[str]:
    """The line as it is; one that is too wide goes on under where its text began, behind its indent and its label."""
    if columns(line) <= width:
        return [line]
    start = _TEXT.match(line)
    indent = start.end() if start is not None and columns(start[0]) <= width // 2 else 0
    first, *rest = folded(line[indent:], width - indent)
    return [line[:indent] + first.rstrip(), *(" " * indent + part.strip() for part in rest)]


def plural(count: int, one: str, many: str = "") -> str:
    """`1 service`, `12 services`."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def _wide(ch: str) -> int:
    if unicodedata.combining(ch):
        return 0
    return 2 if unicodedata.east_asian_width(ch) in ("W", "F") else 1
