"""Text on its way to the disk: always storable, redacted, and never endless."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

Redact = Callable[[str], str]
LINE = 16 * 1024
"""Characters kept of a free text field."""
EVIDENCE = 64 * 1024
"""Characters kept of one piece of evidence."""
DEEP = 32

_UNSTORABLE = re.compile("[\ud800-\udfff\x00]")


def plain(text: str) -> str:
    """No redaction: the text is given on unchanged."""
    return text


def word(text: str) -> str:
    """A name or identity: lone surrogates (which no UTF-8 holds) and NUL (which ends text in many readers) become U+FFFD."""
    if text.isascii() and "\x00" not in text:
        return text
    return _UNSTORABLE.sub("�", text)


def free(text: str, redact: Redact, limit: int = LINE) -> str:
    """Text that people or bots wrote: storable, redacted before it is cut, so that no half of a secret slips through."""
    text = redact(word(text))
    if len(text) <= limit:
        return text
    return text[:limit] + f" … ({len(text) - limit} more characters not kept)"


def document(text: str, redact: Redact) -> str:
    """JSON whose strings are redacted one by one, so that it stays JSON; anything else is free text without a limit."""
    if redact is plain:
        return word(text)
    try:
        return json.dumps(_inside(json.loads(text), redact, DEEP), ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return redact(word(text))


def _inside(value: object, redact: Redact, deep: int) -> object:
    if isinstance(value, str):
        return redact(word(value))
    if deep and isinstance(value, dict):
        return {redact(word(key)): _inside(item, redact, deep - 1) for key, item in value.items()}
    if deep and isinstance(value, list):
        return [_inside(item, redact, deep - 1) for item in value]
    if isinstance(value, (dict, list)):
        raise RecursionError
    return value
