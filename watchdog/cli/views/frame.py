"""The paper a view is drawn on: how wide, in which colours, at what time and in which zone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo

_CODES: Mapping[str, str] = {"good": "32", "bad": "31", "warn": "33", "busy": "36", "dim": "2", "bold": "1"}


@dataclass(frozen=True, slots=True)
class Frame:
    """now: wall seconds. zone: of clock times. width: columns. colour: False in a pipe and with NO_COLOR."""

    now: float
    zone: tzinfo = UTC
    width: int = 100
    colour: bool = False

    def paint(self, text: str, role: str) -> str:
        """The text in the colour of its role (good, bad, warn, busy, dim, bold); the plain text in black and white."""
        code = _CODES.get(role)
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and code and text else text
