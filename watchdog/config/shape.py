"""Which keys may stand where, read from the schema itself, and which are known but not here yet."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo

from recovery.problem import Path, did_you_mean, quoted
from watchdog.config.schema import Settings

LATER: Mapping[Path, frozenset[str]] = {
    (): frozenset({"tokens", "vault", "cleaning", "locks", "self"}),
    ("services", "*"): frozenset({"progress", "heartbeat_log", "session", "security"}),
    ("services", "*", "probe"): frozenset({"systemd", "heartbeat"}),
    ("services", "*", "runtime"): frozenset({"systemd", "supervisor", "pool"}),
    ("services", "*", "thresholds"): frozenset({"errors_per_hour"}),
    ("apis", "*"): frozenset({"probe", "page"}),
    ("alerts", "telegram"): frozenset({"inbound"}),
    ("reports",): frozenset({"weekly", "monthly", "anomalies"}),
    ("control",): frozenset({"page"}),
}
"""Keys of SPEC 3 that this version does not have: a person who knows them deserves another answer than "unknown"."""

FEW = 6
"""Known keys that are all named to somebody who wrote another one."""

HIDDEN = frozenset({("services", "*", "name")})
"""Fields of the models that the loader fills: no keys of the file."""


def unknown_key(path: Path) -> str:
    """What to say about a key that does not belong where it stands; `path` ends with it."""
    above, key = general(path[:-1]), str(path[-1])
    if is_later(path):
        return f"{quoted(key)} is not available in this version"
    known = keys_at(above)
    some = f"; known here: {', '.join(known)}" if 0 < len(known) <= FEW else ""
    return f"unknown key {quoted(key)}{did_you_mean(key, known) or some}"


def is_later(path: Path) -> bool:
    """A key that this version does not have yet."""
    return path[-1] in LATER.get(general(path[:-1]), ())


def general(path: Path) -> Path:
    """The path with free names as `*`: ("services", "x", "probe") is ("services", "*", "probe")."""
    return tuple("*" if index == 1 and path[0] in ("services", "apis", "commands") else part for index, part in enumerate(path))


@cache
def keys_at(path: Path) -> tuple[str, ...]:
    """The keys that may stand at a general path; empty where they are free, and where there are none."""
    return tuple(key for key in _keys(model_at(path)) if (*path, key) not in HIDDEN)


def model_at(path: Path) -> Any:
    """What a general path holds as a type; None where there is nothing of that name."""
    model: Any = Settings
    for part in path:
        model = _step(model, str(part))
    return model


def _keys(model: Any) -> dict[str, Any]:
    """Key in the file to the annotation of its field."""
    found: Mapping[str, FieldInfo] = getattr(model, "__pydantic_fields__", {})
    return {str(field.validation_alias or name): field.annotation for name, field in found.items()}


def _step(model: Any, part: str) -> Any:
    hint = get_args(model)[1] if get_origin(model) is Mapping else _keys(model).get(part)
    if get_origin(hint) is UnionType:
        return next(item for item in get_args(hint) if item is not NoneType)
    return hint
