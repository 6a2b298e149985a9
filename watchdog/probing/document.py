"""A body read without trust: its text, its JSON if it is any, and where its status stands (SPEC 2)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from watchdog.probing.words import STATUS_KEYS

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_KNOWN_CHARSETS = re.compile(
    r"(?i)utf-?(8|16|32)(-?[lb]e)?|iso-?8859-?\d+|latin-?1|windows-\d+|cp\d+|koi8-[ru]|(us-)?ascii|gbk|gb18030|shift_jis|euc-(jp|kr)|big5"
)
_PASSWORD = re.compile(r"<input\b[^>]{0,500}\btype\s*=\s*[\"']?password\b", re.IGNORECASE)
_DIGITS = 300
"""Digits of the longest whole number that is still read as one."""


@dataclass(frozen=True, slots=True)
class Document:
    """A body. data: what its JSON holds, None without JSON (and for `null`). broken: why its JSON cannot be read, else ""."""

    text: str = ""
    data: Any = None
    parsed: bool = False
    broken: str = ""
    html: bool = False

    @property
    def login(self) -> bool:
        """A page that wants a password is no answer about health."""
        return self.html and _PASSWORD.search(self.text) is not None


def read(body: bytes, content_type: str) -> Document:
    """The document in `body`. JSON is looked for whatever the media type says, and missed only where it was promised."""
    if not body:
        return Document()
    media = content_type.partition(";")[0].strip().lower()
    text = decode(body, content_type).strip()
    if not text:
        return Document()
    promised = is_json(media)
    html = "html" in media or (not media and text[0] == "<")
    if not promised and text[0] not in '{["':
        return Document(text=text, html=html)
    try:
        return Document(text=text, data=parse(text), parsed=True)
    except (ValueError, RecursionError) as error:
        why = "nested too deep" if isinstance(error, RecursionError) else "broken JSON"
        broken = why if promised or (not media and text[0] == "{") else ""
        return Document(text=text, broken=broken, html=html)


def is_json(media: str) -> bool:
    """Does this media type (lower case, without parameters) promise JSON?"""
    return media.endswith(("/json", "+json"))


def decode(body: bytes, content_type: str = "") -> str:
    """Text of any bytes: the named charset, else UTF-8, UTF-16 or UTF-32 as JSON has them, else Latin-1. Never raises."""
    if body[:1] == b"{" and b"\0" not in body[:4]:
        try:
            return body.decode()
        except UnicodeDecodeError:
            pass
    named = _CHARSET.search(content_type)
    names = [named.group(1)] if named and _KNOWN_CHARSETS.fullmatch(named.group(1)) else []
    for name in (*names, json.detect_encoding(body)):
        try:
            return body.decode("utf-8-sig" if name.lower().replace("-", "") == "utf8" else name).removeprefix("\ufeff")
        except (UnicodeDecodeError, LookupError):
            continue
    return body.decode("latin-1")


def parse(text: str) -> Any:
    """JSON, leniently: control characters in texts, NaN and endless numbers are let in and dropped by those who read numbers.

    Raises ValueError or RecursionError.
    """
    try:
        return _FAST.decode(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a whole number of thousands of digits
        return _PATIENT.decode(text)


def quick_object(body: bytes) -> dict[str, Any] | None:
    """The JSON object that is the whole of `body`; None where a closer look is needed."""
    try:
        text = body.decode()
        data, end = _FAST.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return data if type(data) is dict and not text[end:].strip() else None


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) <= _DIGITS else None


_FAST = json.JSONDecoder(strict=False)
_PATIENT = json.JSONDecoder(strict=False, parse_int=_whole)


def status_field(data: Mapping[str, Any], code: int | None) -> tuple[str, bool | str] | None:
    """The key and value that say how the service is: a boolean or a text (a number as its text).

    None when nothing says it. A number equal to the HTTP code counts as absent.
    """
    for key in _SPELLED:
        if key in data:
            value = _status_value(data[key], code)
            if value is not None:
                return key, value
    lowered = {key.lower(): key for key in list(data)[:200] if not key.islower()}
    for key in STATUS_KEYS:
        if key in lowered:
            value = _status_value(data[lowered[key]], code)
            if value is not None:
                return lowered[key], value
    return None


_SPELLED = tuple("isHealthy" if key == "ishealthy" else key for key in STATUS_KEYS)


def _status_value(value: object, code: int | None) -> bool | str | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        text = value.strip()
        return text if text and text != str(code) else None
    if isinstance(value, (int, float)) and value == value and value != code:  # noqa: PLR0124 - NaN says nothing
        return repr(value)[:40]
    return None


def mapped(data: Any, mapping: Mapping[str, str]) -> Any:
    """The document with the fields of our own form that `probe.map` finds elsewhere in it laid over it."""
    over: dict[str, Any] = {}
    for field, path in mapping.items():
        found, value = lookup(data, path)
        if not found:
            continue
        place = over
        *outer, last = field.split(".")
        for name in outer:
            inner = place.setdefault(name, {})
            place = inner if isinstance(inner, dict) else place
        place[last] = value
    if not over:
        return data
    return {**data, **over} if isinstance(data, dict) else over


def lookup(data: Any, path: str) -> tuple[bool, Any]:
    """(found, value) at a path like `service.status.state`, `checks.0.status` or `$.checks[0].status`; keys may hold dots."""
    steps = [step for step in path.removeprefix("$").replace("[", ".").replace("]", "").split(".") if step]
    return _walk(data, steps)


def _walk(data: Any, steps: list[str]) -> tuple[bool, Any]:
    if not steps:
        return True, data
    if isinstance(data, list):
        index = steps[0]
        if index.isdecimal() and len(index) < 6 and int(index) < len(data):
            return _walk(data[int(index)], steps[1:])
        return False, None
    if isinstance(data, dict):
        for length in range(len(steps), 0, -1):
            key = ".".join(steps[:length])
            if key in data:
                found, value = _walk(data[key], steps[length:])
                if found:
                    return True, value
    return False, None
