"""The parts that an answer names, and which of them are ill (SPEC 2, "Parts")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from watchdog.model.observation import Kind, Part
from watchdog.probing.lines import one_line
from watchdog.probing.naming import declared_name
from watchdog.probing.words import PART_KEYS, STATUS_KEYS, part_status

CONTAINERS = ("checks", "components", "details", "info", "error", "connections", "results")
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

_MOST = 50
_LOOKED_AT = 400
_DEPTH = 4
_NAME_KEYS = ("name", "checker", "component", "service", "check", "id", "key", "componentId", "target")
_MESSAGE_KEYS = ("message", "output", "error", "reason", "description", "detail", "msg")
_ERROR_CLASS = re.compile(r"(Error|Exception)$")
_KUBERNETES = re.compile(r"^\[([+-])\](\S+) ?(.*)$", re.MULTILINE)

Found = tuple[str, Kind, str]
"""Name, status, message."""


def in_document(data: Mapping[str, Any], status_key: str | None, *, own: bool, declared: frozenset[str]) -> tuple[Part, ...]:
    """The parts of a JSON document. status_key: the member that was read as its status. own: it said a known status word.

    Only in our own form, which always says one, an open breaker in `apis` is an ill part.
    """
    found: list[Found] = []
    for key, value in list(data.items())[:_LOOKED_AT]:
        if key == status_key:
            continue
        place = key.lower()
        if place in CONTAINERS:
            found += _container(value, accused=place == "error", depth=1)
        elif place == "apis" and own:
            found += _breakers(value)
        elif place not in TALK and place not in GOOD_WHEN_FALSE and not isinstance(value, list):
            found += _member(key, value, accused=False, depth=1)
    return _merged(found, declared)


def in_text(text: str, declared: frozenset[str]) -> tuple[Part, ...]:
    """The parts of a Kubernetes text: `[+]ping ok`, `[-]etcd failed: reason withheld`."""
    if "[-]" not in text:
        return ()
    lines = list(_KUBERNETES.finditer(text))[:_LOOKED_AT]
    return _merged([(m[2], Kind.OK if m[1] == "+" else Kind.CRITICAL, m[3]) for m in lines], declared)


def is_ill(part: Part) -> bool:
    return part.status in (Kind.DEGRADED, Kind.CRITICAL)


def _container(value: Any, *, accused: bool, depth: int) -> Iterator[Found]:
    """accused: whatever stands here is ill (`error`), unless it says that it is well."""
    if isinstance(value, dict):
        for name, item in list(value.items())[:_LOOKED_AT]:
            plain = name.lower()
            if plain not in TALK and plain not in STATUS_KEYS and plain not in GOOD_WHEN_FALSE:
                yield from _member(name, item, accused=accused, depth=depth)
    elif isinstance(value, list):
        for item in value[:_LOOKED_AT]:
            if not isinstance(item, dict):
                continue
            name = next((item[key] for key in _NAME_KEYS if isinstance(item.get(key), str) and item[key]), None)
            if name is None:
                yield from _container(item, accused=accused, depth=depth)
            elif not _ERROR_CLASS.search(name):
                yield from _member(name, item, accused=accused, depth=depth)


def _member(name: str, item: Any, *, accused: bool, depth: int) -> Iterator[Found]:
    if isinstance(item, dict):
        yield from _object(name, item, accused=accused, depth=depth)
        return
    if isinstance(item, list):  # application/health+json: several measurements of one component
        inner = (one for one in item[:_LOOKED_AT] if isinstance(one, dict))
        told = [found for one in inner for found in _object(name, one, accused=False, depth=depth)]
        if told:
            yield max(told, key=lambda one: _rank(one[1]))
        return
    kind = part_status(item)
    if kind is None and accused and isinstance(item, str) and item:
        kind = Kind.CRITICAL
    if kind is not None:
        yield name, kind, item if isinstance(item, str) and kind is not Kind.OK else ""


def _object(name: str, item: dict[str, Any], *, accused: bool, depth: int) -> Iterator[Found]:
    """A part that is an object. One that is made of parts is told by the ill ones among them."""
    kind = next((kind for key in _by_key(item) if (kind := part_status(item[key])) is not None), None)
    if kind is Kind.OK:
        yield name, kind, ""
        return
    if depth < _DEPTH:
        nested = (
            found
            for key in ("components", "checks", "details")
            for found in _container(item.get(key), accused=False, depth=depth + 1)
        )
        inner = [(f"{name}/{part}", status, said) for part, status, said in nested if _rank(status)]
        if inner:
            yield from inner
            return
    if kind is None and accused and item:
        kind = Kind.CRITICAL
    if kind is not None:
        yield name, kind, _message(item)


def _by_key(item: dict[str, Any]) -> list[str]:
    """The members of a part that may say how it is, in the order of PART_KEYS, whatever their case."""
    lowered = {key.lower(): key for key in list(item)[:_LOOKED_AT]}
    return [lowered[key] for key in PART_KEYS if key in lowered]


def _message(item: dict[str, Any]) -> str:
    for holder in (item, item.get("details"), item.get("data")):
        if isinstance(holder, dict):
            for key in _MESSAGE_KEYS:
                if isinstance(holder.get(key), str) and holder[key]:
                    return str(holder[key])
    return ""


def _breakers(value: Any) -> Iterator[Found]:
    if isinstance(value, dict):
        for name, item in list(value.items())[:_LOOKED_AT]:
            state = item.get("state") if isinstance(item, dict) else None
            if state in ("open", "half_open"):
                yield name, Kind.DEGRADED, f"circuit breaker {state.replace('_', ' ')}"


def _rank(kind: Kind) -> int:
    return {Kind.DEGRADED: 1, Kind.CRITICAL: 2}.get(kind, 0)


def _merged(found: list[Found], declared: frozenset[str]) -> tuple[Part, ...]:
    """One part per name, at its worst; at most 50, the ill ones first when there are more. Those that start say nothing."""
    worst: dict[str, Found] = {}
    for name, kind, message in found:
        before = worst.get(name)
        if kind is not Kind.STARTING and (before is None or _rank(kind) > _rank(before[1])):
            worst[name] = (name, kind, message)
    chosen = list(worst.values())
    if len(chosen) > _MOST:
        chosen = sorted(chosen, key=lambda one: -_rank(one[1]))[:_MOST]
    return tuple(_part(name, kind, message, declared) for name, kind, message in chosen)


def _part(name: str, kind: Kind, message: str, declared: frozenset[str]) -> Part:
    if not _rank(kind):
        return Part(one_line(name, 80), kind)
    own = declared_name((name, *name.split("/")), declared)
    return Part(one_line(name, 80), kind, one_line(message), own)
