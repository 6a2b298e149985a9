"""Where the show appears: a living picture on a terminal, or plain lines in a pipe that tell the same story."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from typing import Protocol, TextIO

from watchdog.alerts.phone import cells
from watchdog.demo.ink import Ink, folded
from watchdog.demo.news import Line
from watchdog.demo.picture import picture, told
from watchdog.demo.scene import Tale
from watchdog.demo.seen import Seen

WIDTH = 100
"""Columns of a pipe."""

_HIDE, _SHOW, _HOME, _REST, _LINE = "\x1b[?25l", "\x1b[?25h", "\x1b[H", "\x1b[J", "\x1b[K"
_ENTER, _LEAVE = "\x1b[?1049h", "\x1b[?1049l"


class Paper(Protocol):
    """living: somebody looks on, and gets time to read."""

    living: bool
    ink: Ink

    def begin(self) -> None: ...
    def act(self, number: int, title: str) -> None: ...
    def say(self, text: str) -> None: ...
    def lines(self, lines: Sequence[Line], began: float) -> None: ...
    def close(self, text: str) -> None: ...
    def draw(self, tale: Tale, seen: Seen) -> None: ...
    def end(self) -> None:
        """The picture is over, what follows are plain lines; safe to call twice."""

    def tell(self, *lines: str) -> None:
        """Plain lines before and after the picture."""


class Living:
    """Drawn over itself; each line clears its own rest, so that nothing blinks. What was there before comes back at the end."""

    living = True

    def __init__(self, out: TextIO, ink: Ink) -> None:
        self._out, self.ink, self._on = out, ink, False

    def begin(self) -> None:
        self._on = True
        self._write(_ENTER + _HIDE)

    def draw(self, tale: Tale, seen: Seen) -> None:
        size = shutil.get_terminal_size((WIDTH, 30))
        lines = picture(tale, seen, size.columns - 1, size.lines - 1, self.ink)
        self._write(_HOME + "".join(f"{line}{_LINE}\r\n" for line in lines) + _REST)

    def end(self) -> None:
        if self._on:
            self._on = False
            self._write(_SHOW + _LEAVE)

    def act(self, number: int, title: str) -> None: ...
    def say(self, text: str) -> None: ...
    def lines(self, lines: Sequence[Line], began: float) -> None: ...
    def close(self, text: str) -> None: ...

    def tell(self, *lines: str) -> None:
        width = shutil.get_terminal_size((WIDTH, 30)).columns
        self._write("".join(f"{part}\n" for line in lines for part in _hanging(line, width)))

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()


class Plain:
    """One line after the other, without escape codes."""

    living = False

    def __init__(self, out: TextIO) -> None:
        self._out, self.ink = out, Ink()

    def begin(self) -> None: ...
    def draw(self, tale: Tale, seen: Seen) -> None: ...
    def end(self) -> None: ...

    def act(self, number: int, title: str) -> None:
        self.tell("", f"{number}. {title}")

    def say(self, text: str) -> None:
        self.tell(*(f"   {line}" for line in folded(text, WIDTH - 3)))

    def lines(self, lines: Sequence[Line], began: float) -> None:
        self.tell(*(told(line, began, WIDTH, self.ink).rstrip() for line in lines))

    def close(self, text: str) -> None:
        first, *rest = folded(text, WIDTH - 5)
        self.tell(f"   ✓ {first}", *(f"     {line}" for line in rest))

    def tell(self, *lines: str) -> None:
        self._out.write("".join(f"{line}\n" for line in lines))
        self._out.flush()


def _hanging(line: str, width: int) -> list[str]:
    """The line, or what it takes of them; the second and later ones are indented."""
    if cells(line) <= width:
        return [line]
    first, *rest = folded(line, width - 2)
    return [first, *(f"  {each}" for each in rest)]


def paper(out: TextIO, environ: Mapping[str, str] = os.environ) -> Paper:
    """The right one for this output."""
    if not out.isatty() or environ.get("TERM", "dumb") == "dumb":
        return Plain(out)
    return Living(out, Ink(colour=not environ.get("NO_COLOR")))
