"""How a message is laid out: labelled blocks under one column, one line per value."""

from __future__ import annotations

from collections.abc import Sequence

from watchdog.model.oneline import one_line
from watchdog.model.phrases import VALUE

COLUMN = 8
"""Width of the label column: `Saw     `."""


def column(label: str, values: Sequence[str], limit: int = VALUE) -> list[str]:
    """A labelled block; nothing when there is nothing to say."""
    kept = [text for value in values if (text := one_line(value, limit))]
    return [f"{(label if number == 0 else ''):<{COLUMN}}{text}" for number, text in enumerate(kept)]


def lines(*parts: str) -> str:
    return "\n".join(parts)
