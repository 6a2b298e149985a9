"""The ill parts that an answer names (SPEC 2, "Parts"). Those that are well, or say nothing, are not kept.

This runs at every check of every service: it looks at types before it looks at texts, and makes nothing for what is well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from watchdog.model.observation import Kind, Part
from watchdog.probing.lines import one_line
from watchdog.probing.naming import declared_name
from watchdog.probing.words import PART_KEYS, STATUS_KEYS, part_status

CONTAINERS = frozenset(("checks", "components", "details", "info", "error", "connections", "results"))
"""The members of a document that hold parts."""

TALK = frozenset(
    (
        *("message", "msg", "title", "description", "detail", "output", "name", "type", "code", "level", "log_level", "loglevel"),
        *(
            "severity",
            "reason",
            "errno",
            "syscall",
            "stack",
            "trace",
            "timestamp",
            "time",
            "date",
            "path",
            "method",
            "statuscode",
        ),
        *(
            "status_code",
            "instance",
            "param",
            "domain",
            "loc",
            "input",
            "url",
            "hint",
            "cause",
            "request_id",
            "requestid",
            "version",
        ),
        *("environment", "env", "mode"),
    )
)
"""Members that describe something and name no part."""

GOOD_WHEN_FALSE = frozenset(
    (
        *(
            "error",
            "errors",
            "debug",
            "maintenance",
            "sealed",
            "standby",
            "performance_standby",
            "stale",
            "readonly",
            "read_only",
        ),
        *("dry_run", "paused", "blocked", "muted", "shutting_down", "stopping", "draining", "expired", "locked", "banned"),
    )
)
"""Booleans that are well when false: neither they nor their opposite are a part."""

_NO_PARTS = TALK | GOOD_WHEN_FALSE
_NOT_INSIDE = _NO_PARTS | frozenset(STATUS_KEYS)
_NESTED = ("components", "checks", "details")

_MOST = 50
_LOOKED_AT = 400
_DEPTH = 4
_RANK = {Kind.DEGRADED: 1, Kind.CRITICAL: 2}
_NAME_KEYS = ("name", "checker", "component", "service", "check", "id", "key", "componentId", "target")
_MESSAGE_KEYS = ("message", "output", "error", "reason", "description", "detail", "msg")
_ERROR_CLASS = re.compile(r"(Error|Exception)$")
_KUBERNETES = re.compile(r"^\[-\](\S+) ?(.*)$", re.MULTILINE)

Ill = dict[str, tuple[Kind, str]]
"""Name to status and message, the worst of each name."""


def in_document(data: Mapping[str, Any], status_key: str | None, *, own: bool, declared: frozenset[str]) -> tuple[Part, ...]:
    """The ill parts of a JSON document. status_key: the member that was read as its status. own: it said a known status word.

    Only beside such a word an open breaker in `apis` (our own form) is an ill part.
    """
    ill: Ill = {}
    for key, value in data.items() if len(data) <= _LOOKED_AT else islice(data.items(), _LOOKED_AT):
        kind = type(value)
        if kind is dict or kind is list:
            place = key.lower()
            if place in CONTAINERS:
                _container(ill, value, accused=place == "error")
            elif place == "apis" and own:
                _breakers(ill, value)
            elif kind is dict and place not in _NO_PARTS:
                _object(ill, key, value)
        elif (kind is str or value is False) and key != status_key and key.lower() not in _NO_PARTS:
            _plain(ill, key, value)
    return _parts(ill, declared) if ill else ()


def in_text(text: str, declared: frozenset[str]) -> tuple[Part, ...]:
    """The ill parts of a Kubernetes text: `[+]ping ok`, `[-]etcd failed: reason withheld`."""
    if "[-]" not in text:
        return ()
    return _parts({m[1]: (Kind.CRITICAL, m[2]) for m in islice(_KUBERNETES.finditer(text), _LOOKED_AT)}, declared)


def _container(ill: Ill, value: Any, *, accused: bool = False, depth: int = 1, under: str = "") -> None:
    """accused: whatever stands here is ill (`error`), unless it says that it is well. under: the part that this is inside of."""
    if isinstance(value, dict):
        for name, item in islice(value.items(), _LOOKED_AT):
            if name.lower() not in _NOT_INSIDE:
                _member(ill, under + name, item, accused=accused, depth=depth)
    elif isinstance(value, list):
        for item in islice(value, _LOOKED_AT):
            if not isinstance(item, dict):
                continue
            name = next((item[key] for key in _NAME_KEYS if isinstance(item.get(key), str) and item[key]), None)
            if name is None:
                _container(ill, item, accused=accused, depth=depth, under=under)
            elif not _ERROR_CLASS.search(name):
                _member(ill, under + name, item, accused=accused, depth=depth)


def _member(ill: Ill, name: str, item: Any, *, accused: bool, depth: int) -> None:
    if isinstance(item, dict):
        _object(ill, name, item, accused=accused, depth=depth)
    elif isinstance(item, list):  # application/health+json: several measurements of one component
        for one in islice(item, _LOOKED_AT):
            if isinstance(one, dict):
                _object(ill, name, one, depth=depth)
    elif item is not True:
        _plain(ill, name, item, accused=accused)


def _plain(ill: Ill, name: str, value: Any, *, accused: bool = False) -> None:
    """A part that is a boolean or a text."""
    said = value if isinstance(value, str) else ""
    kind = part_status(value) or (Kind.CRITICAL if accused and said else None)
    if kind is not None:
        _note(ill, name, kind, said)


def _object(ill: Ill, name: str, item: dict[str, Any], *, accused: bool = False, depth: int = 1) -> None:
    """A part that is an object. One that is made of parts is told by the ill ones among them."""
    kind = _stated(item)
    if kind is Kind.OK:
        return
    if depth < _DEPTH:
        before = len(ill)
        for key in _NESTED:
            if key in item:
                _container(ill, item[key], depth=depth + 1, under=f"{name}/")
        if len(ill) > before:
            return
    if kind is None and accused and item:
        kind = Kind.CRITICAL
    if kind is not None:
        _note(ill, name, kind, _message(item))


def _stated(item: dict[str, Any]) -> Kind | None:
    """What a part says of itself: its first member with a meaning, in the order of PART_KEYS, whatever their case."""
    for key in PART_KEYS:
        if key in item:
            kind = part_status(item[key])
            if kind is not None:
                return kind
    unusual = {key.lower(): key for key in islice(item, _LOOKED_AT) if not key.islower()}
    if unusual:
        for key in PART_KEYS:
            kind = part_status(item[unusual[key]]) if key in unusual else None
            if kind is not None:
                return kind
    return None


def _message(item: dict[str, Any]) -> str:
    for holder in (item, item.get("details"), item.get("data")):
        if isinstance(holder, dict):
            for key in _MESSAGE_KEYS:
                if isinstance(holder.get(key), str) and holder[key]:
                    return str(holder[key])
    return ""


def _breakers(ill: Ill, value: Any) -> None:
    if isinstance(value, dict):
        for name, item in islice(value.items(), _LOOKED_AT):
            state = item.get("state") if isinstance(item, dict) else None
            if state == "open" or state == "half_open":  # noqa: PLR1714 - the state may be anything, also unhashable
                _note(ill, name, Kind.DEGRADED, f"circuit breaker {state.replace('_', ' ')}")


def _note(ill: Ill, name: str, kind: Kind, message: str) -> None:
    rank = _RANK.get(kind, 0)
    before = ill.get(name)
    if rank and (before is None or rank > _RANK[before[0]]):
        ill[name] = (kind, message)


def _parts(ill: Ill, declared: frozenset[str]) -> tuple[Part, ...]:
    """At most 50; of more, the declared ones may be missing and the undeclared ones are kept, for they are the bot's own."""
    parts = [
        Part(one_line(name, 80), kind, one_line(message), declared_name((name, *name.split("/")), declared))
        for name, (kind, message) in islice(ill.items(), _LOOKED_AT)
    ]
    if len(parts) > _MOST:
        parts.sort(key=lambda part: part.declared is not None)
    return tuple(parts[:_MOST])
