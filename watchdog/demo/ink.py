"""Words in columns and, where they are wanted, in colours. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from watchdog.alerts.phone import cells

_CODES: Mapping[str, str] = {"good": "32", "bad": "31", "warn": "33", "busy": "36", "dim": "2", "bold": "1"}


@dataclass(frozen=True, slots=True)
class Ink:
    """colour: False in black and white."""

    colour: bool = False

    def paint(self, text: str, role: str) -> str:
        code = _CODES.get(role)
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and code and text else text


def fit(text: str, width: int) -> str:
    """The text in exactly `width` columns, with … when something is missing."""
    if cells(text) > width:
        while text and cells(text) > width - 1:
            text = text[:-1]
        text = text.rstrip() + "…" if width > 0 else ""
    return text + " " * max(0, width - cells(text))


def folded(text: str, width: int) -> list[str]:
    """In lines of at most `width` columns, broken at spaces."""
    lines, line = [], ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if line and cells(longer) > width:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line]
