"""The words of the control socket: JSON lines, one request to one response (SPEC 14, 15).

Request: `{"verb": "hold", "args": {"service": "scraper", "for": 1200}}`. Response: `{"ok": true, "result": ...}` or
`{"ok": false, "error": "one line for people", "code": "refused|usage|internal"}`. Durations are seconds. Nothing here touches the
world: bytes in, values out, and every oddity is a `BadRequest` with a line for the one who asked.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

MAX_LINE = 64 * 1024
"""Bytes of a request, the newline included. Responses are ours and may be longer."""

SOCKET_PATH_MAX = 107
"""Bytes that fit into `sun_path` of a unix socket on Linux, without its closing zero."""

MAX_COUNT = 100_000
"""The highest number of rows that can be asked for."""

MAX_LENGTH = 3660 * 86400.0
"""Seconds: ten years, as in the configuration. What ends later than the calendar does could not be shown any more."""

Check = Callable[[Any], bool]


class Code(StrEnum):
    """Why there is no result."""

    REFUSED = "refused"
    USAGE = "usage"
    INTERNAL = "internal"


class BadRequest(Exception):
    """The request cannot be understood."""


@dataclass(frozen=True, slots=True)
class Field:
    """One argument of a verb. says: what it must be, in words."""

    check: Check
    says: str
    required: bool = False


def _text(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 200


def _seconds(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and 0 < value <= MAX_LENGTH


def _moment(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**53


def _number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**63


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


NAME = Field(_text, "a service name", required=True)
ANY_NAME = Field(lambda value: value is None or _text(value), "a service name, or null for all")
LENGTH = Field(_seconds, "seconds above zero, ten years at most", required=True)
REASON = Field(lambda value: isinstance(value, str) and len(value) <= 500, "text of at most 500 characters")
NUMBER = Field(_number, "a number", required=True)
FLAG = Field(_flag, "true or false")
PLAYBOOK = Field(lambda value: value is None or _text(value), "a playbook name, or null")
ANY_NUMBER = Field(lambda value: value is None or _number(value), "a number, or null")
COUNT = Field(lambda value: _number(value) and value <= MAX_COUNT, f"a number of at most {MAX_COUNT}")
SKIP = Field(lambda value: COUNT.check(value) or (value == 0 and type(value) is int), "how many rows were read already")
MOMENT = Field(lambda value: value is None or _moment(value), "seconds since 1970, or null")
QUERY = Field(_text, "the name of a question", required=True)

ACTING: Mapping[str, Mapping[str, Field]] = {
    "hold": {"service": ANY_NAME, "for": LENGTH, "reason": REASON},
    "hold_end": {"service": ANY_NAME},
    "stop": {"service": NAME, "for": LENGTH, "reason": REASON},
    "start": {"service": NAME},
    "ack": {"id": NUMBER, "false_alarm": FLAG},
    "resume": {"service": ANY_NAME},
    "recover": {"service": NAME, "playbook": PLAYBOOK, "dry_run": FLAG},
    "approve": {"run": NUMBER},
    "reject": {"run": NUMBER},
    "reload": {},
    "notify_test": {},
}
"""Verbs that change something: root, the daemon's own user and `control.admins` only (SPEC 15)."""

READING: Mapping[str, Mapping[str, Field]] = {
    "ping": {},
    "status": {"service": ANY_NAME},
    "rows": {
        "query": QUERY,
        "skip": SKIP,
        "service": ANY_NAME,
        "number": ANY_NUMBER,
        "incident": ANY_NUMBER,
        "since": MOMENT,
        "limit": COUNT,
        "ended": FLAG,
    },
}
"""Verbs for everyone who may open the socket. rows: a page of what the store holds; its questions are those of `rows.QUERIES`."""


@dataclass(frozen=True, slots=True)
class Request:
    verb: str
    args: Mapping[str, Any]

    @property
    def acts(self) -> bool:
        return self.verb in ACTING


def parse_request(line: bytes) -> Request:
    """One line as a request whose verb is known and whose arguments have their types; BadRequest otherwise."""
    doc = _json(line)
    if not isinstance(doc, dict) or not isinstance(doc.get("verb"), str):
        raise BadRequest('a request is {"verb": text, "args": {...}}')
    args = doc.get("args", {})
    if not isinstance(args, dict) or doc.keys() - {"verb", "args"}:
        raise BadRequest('a request is {"verb": text, "args": {...}}')
    fields = ACTING.get(doc["verb"], READING.get(doc["verb"]))
    if fields is None:
        raise BadRequest(f"unknown verb {doc['verb'][:60]!r}")
    _check_args(doc["verb"], args, fields)
    return Request(doc["verb"], args)


def _check_args(verb: str, args: Mapping[str, Any], fields: Mapping[str, Field]) -> None:
    for name in args:
        if name not in fields:
            raise BadRequest(f"{verb}: unknown argument {name[:60]!r}")
    for name, field in fields.items():
        if name not in args:
            if field.required:
                raise BadRequest(f"{verb}: {name} is missing, it is {field.says}")
        elif not field.check(args[name]):
            raise BadRequest(f"{verb}: {name} must be {field.says}")


def _json(line: bytes) -> Any:
    try:
        doc = json.loads(line, parse_constant=_no_constant)
        # A lone surrogate cannot be stored or printed later; here it can still be answered.
        json.dumps(doc, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise BadRequest("this line is not JSON that I can read") from error
    return doc


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def encode(doc: Mapping[str, Any]) -> bytes:
    """One line. ASCII, so that nothing in a bot's text can break it."""
    return json.dumps(doc, separators=(",", ":"), allow_nan=False, default=str).encode() + b"\n"


def good(result: Any) -> bytes:
    return encode({"ok": True, "result": result})


def bad(code: Code, error: str) -> bytes:
    return encode({"ok": False, "error": error, "code": code.value})
