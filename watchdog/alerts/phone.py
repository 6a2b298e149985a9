"""Draws a message as a phone would show it on its lock screen, with plain characters in a terminal."""

from __future__ import annotations

import re
import unicodedata

from watchdog.alerts.layout import COLUMN

_UNBROKEN = re.compile(r"(?<=\d) (?=(?:%|×|ms|s|min|h|day|days|B|kB|MB|GB|TB)\b|[%×])")

WIDTH = 44
"""Columns of the whole drawing."""


def draw(text: str, clock: str, app: str = "bot-watchdog", width: int = WIDTH) -> str:
    """`text` in a phone-like box of `width` columns; clock: the time on the lock screen, `03:47`."""
    inner = width - 4
    head = f"{app}{' ' * max(1, inner - cells(app) - cells('now'))}now"
    body = [piece for line in text.splitlines() for piece in wrap(line, inner)]
    rows = [clock.center(inner), "", head, "─" * inner, *body]
    return "\n".join(
        [
            f"╭{'─' * (width - 2)}╮",
            *(f"│ {row}{' ' * max(0, inner - cells(row))} │" for row in rows),
            f"╰{'─' * ((width - 10) // 2)} ▂▂▂▂▂▂ {'─' * (width - 10 - (width - 10) // 2)}╯",
        ]
    )


def cells(text: str) -> int:
    """Columns that the text takes in a terminal: wide characters and emoji take two, marks none."""
    return sum(_cell(char) for char in text)


def _cell(char: str) -> int:
    if unicodedata.combining(char) or char in "\u200d\ufe0e\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _words(text: str) -> list[str]:
    """Split at spaces, but never between a number and its unit."""
    return _UNBROKEN.sub("\u00a0", text).split(" ")


def wrap(line: str, width: int) -> list[str]:
    """The line in pieces of at most `width` cells, broken at spaces; a labelled line hangs under its value."""
    if cells(line) <= width:
        return [line]
    labelled = len(line) > COLUMN and line[COLUMN - 1] == " " and line[COLUMN] != " " and "  " in line[: COLUMN + 1]
    indent = " " * (COLUMN if labelled else 0)
    start, rest = (line[:COLUMN], line[COLUMN:]) if labelled else ("", line)
    out, row = [], start
    for word in _words(rest):
        joined = f"{row} {word}" if row not in (start, indent) else row + word
        if cells(joined) <= width:
            row = joined
            continue
        if row.strip() and row != start:
            out.append(row)
            row = indent
        while cells(row + word) > width:
            room = width - cells(row)
            out.append(row + word[:room])
            word = word[room:]
            row = indent
        row += word
    return [*out, row] if row.strip() else out
