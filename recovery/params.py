"""The field types of an action's parameters: how a playbook's text is read into them, and how a JSON Schema describes them.

`str`, `bool`, `int`, `float`, `Seconds`, `Literal[...]`, a `StrEnum`, and each of them `| None`.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from recovery.problem import did_you_mean, quoted
from recovery.units import DURATION_PATTERN, compact_duration, parse_duration

Seconds = Annotated[float, "duration"]
"""A duration: text with its unit in a playbook (`30s`), seconds in code."""

_PLAIN: Mapping[Any, tuple[tuple[type, ...], str]] = {
    str: ((str,), "must be text"),
    bool: ((bool,), "must be true or false"),
    int: ((int,), "must be a whole number"),
    float: ((int, float), "must be a number"),
}


def read(hint: Any, value: object) -> Any:
    """`value` as the annotation `hint` wants it. Raises ValueError that says what to write. TypeError: no such field type."""
    if hint == Seconds:
        return parse_duration(value)
    if hint in _PLAIN:
        return _plain(hint, value)
    if get_origin(hint) is Literal:
        return _one_of([str(choice) for choice in get_args(hint)], value)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return hint(_one_of([member.value for member in hint], value))
    inner = _optional(hint)
    return None if value is None else read(inner, value)


def describe(hint: Any) -> dict[str, Any]:
    """The JSON Schema of the annotation `hint`. TypeError: no such field type."""
    if hint == Seconds:
        return {"type": "string", "pattern": DURATION_PATTERN, "minLength": 1}
    if hint in _PLAIN:
        return {"type": {str: "string", bool: "boolean", int: "integer", float: "number"}[hint]}
    if get_origin(hint) is Literal:
        return {"enum": list(get_args(hint))}
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {"enum": [member.value for member in hint]}
    return {"anyOf": [describe(_optional(hint)), {"type": "null"}]}


def shown(params: Any) -> str:
    """What differs from the defaults, as a playbook has it: `{name: clear-lock, within: 30s}`; empty for none."""
    hints = get_type_hints(type(params), include_extras=True)
    told = []
    for field in fields(params):
        value = getattr(params, field.name)
        if value != field.default:
            told.append(f"{field.name.rstrip('_')}: {_written(_or_none(hints[field.name]), value)}")
    return f"{{{', '.join(told)}}}" if told else ""


def _or_none(hint: Any) -> Any:
    return _optional(hint) if get_origin(hint) in (Union, types.UnionType) else hint


def _written(hint: Any, value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return "null" if value is None else str(value).lower()
    return compact_duration(value) if hint == Seconds else str(value)


def _plain(hint: Any, value: object) -> object:
    wanted, text = _PLAIN[hint]
    if not isinstance(value, wanted) or (isinstance(value, bool) and hint is not bool):
        hint_quotes = ", put it in quotes" if hint is str and value is not None and not isinstance(value, (dict, list)) else ""
        raise ValueError(f"{text}, not {_kind(value)}{hint_quotes}")
    return value


def _one_of(choices: list[str], value: object) -> str:
    if isinstance(value, str) and value in choices:
        return value
    guess = did_you_mean(str(value), choices)
    raise ValueError(f"{quoted(value)} is none of {', '.join(choices)}{guess}")


def _optional(hint: Any) -> Any:
    inner = [kind for kind in get_args(hint) if kind is not type(None)]
    if get_origin(hint) not in (Union, types.UnionType) or len(inner) != 1 or len(get_args(hint)) != 2:
        raise TypeError(f"{hint} is no field type of a parameter")
    return inner[0]


def _kind(value: object) -> str:
    """What somebody wrote, in words."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "'key: value' pairs"
    if isinstance(value, list):
        return "a list"
    return quoted(str(value).lower() if isinstance(value, bool) else value)
