"""Text of strangers made harmless: one line, bounded, no control characters, no lone surrogates."""

from __future__ import annotations

from watchdog.model.oneline import ESCAPES

LIMIT = 300
"""Characters kept of any text of a bot."""


def one_line(text: str, limit: int = LIMIT) -> str:
    """`text` on one printable line of at most `limit` characters; terminal escapes go, surrogates become U+FFFD."""
    if len(text) <= limit and text.isprintable():
        return text.strip()
    text = text[: limit * 4]
    if not text.isprintable():
        text = "".join(_safe(char) for char in ESCAPES.sub("", text))
        text = " ".join(text.split())
    text = text.strip()
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _safe(char: str) -> str:
    if char.isprintable():
        return char
    return "\ufffd" if "\ud800" <= char <= "\udfff" else " "
