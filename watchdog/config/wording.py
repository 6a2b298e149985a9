"""pydantic's findings in our words, with places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic_core import ErrorDetails

from recovery.problem import Path, Problem, did_you_mean, quoted
from watchdog.config.shape import general, is_later, unknown_key
from watchdog.config.sources import Sources

LATER_VALUES: Mapping[Path, frozenset[str]] = {("language",): frozenset({"ru", "uz"})}
"""Values of SPEC 3 that this version does not have."""


def problems(errors: Iterable[ErrorDetails], sources: Sources, written: Mapping[Path, tuple[str, str]]) -> list[Problem]:
    """written: what stood in the file where a variable was replaced, and by what."""
    found, listed = [], list(errors)
    unknown: dict[Path, list[Path]] = {}
    for error in listed:
        if error["type"] == "unexpected_keyword_argument":
            unknown.setdefault(error["loc"][:-1], []).append(error["loc"])
    for error in listed:
        if error["type"] == "missing" and _stands_for(error["loc"], unknown.get(error["loc"][:-1], ())):
            continue
        path: Path = tuple(part for part in error["loc"] if part != "[key]")
        text = _text(error, path)
        if error["type"] == "missing":
            path = path[:-1]
        key = error["type"] == "unexpected_keyword_argument"
        found.append(located(sources, path, masked(path, text, written), key=key))
    return found


def _stands_for(missing: Path, unknown: Iterable[Path]) -> bool:
    """Something unknown beside it was meant to be the missing key: a slip of the pen, or a runtime that is not here yet."""
    if missing[-2:-1] == ("runtime",) and any(map(is_later, unknown)):
        return True
    return any(did_you_mean(str(path[-1]), [str(missing[-1])]) for path in unknown)


def masked(path: Path, text: str, written: Mapping[Path, tuple[str, str]]) -> str:
    """The text with what the file says at `path` and below it instead of a variable's content, which may be a secret."""
    for at, (before, after) in written.items():
        if after and at[: len(path)] == path:
            text = text.replace(quoted(after), quoted(before))
            # Short contents (a digit, a word) would tear the sentence apart, and are no secrets.
            text = text.replace(after, before) if len(after) > 3 else text
    return text


def located(sources: Sources, path: Path, text: str, *, key: bool) -> Problem:
    """A problem at a value; or at a key, and then named after what holds the key."""
    problem = sources.problem(path, text, key=key)
    if not key:
        return problem
    above = sources.problem(path[:-1], text)
    return Problem(problem.file, problem.mark, above.path, text, problem.source)


def _text(error: ErrorDetails, path: Path) -> str:
    value, context = error["input"], error.get("ctx", {})
    match error["type"]:
        case "value_error":
            return str(context["error"])
        case "unexpected_keyword_argument":
            return unknown_key(path)
        case "missing":
            return f"{quoted(path[-1])} is missing"
        case "int_type":
            return f"needs a whole number, not {_shown(value)}"
        case "bool_type":
            return f"write true or false, not {_shown(value)}"
        case "string_type" | "path_type":
            return f"needs text, not {_shown(value)}" + (", write it in quotes" if isinstance(value, (int, float)) else "")
        case "enum" | "literal_error":
            return _choice(value, str(context["expected"]), path)
        case "greater_than_equal":
            return f"must be at least {context['ge']}"
        case "too_short" | "string_too_short":
            return "must not be empty"
        case "tuple_type":
            return f"needs a list, not {_shown(value)}"
        case "dataclass_type" | "mapping_type" | "dict_type":
            return f"needs 'key: value' pairs, not {_shown(value)}"
        case _:
            return error["msg"]


def _choice(value: Any, expected: str, path: Path) -> str:
    words = [word.strip(" '") for word in expected.replace(" or ", ",").split(",")]
    if not isinstance(value, str):
        return f"needs one of {', '.join(words)}, not {_shown(value)}"
    if value in LATER_VALUES.get(general(path), ()):
        return f"{quoted(value)} is not available in this version"
    return f"{quoted(value)} is none of {', '.join(words)}{did_you_mean(value, words)}"


def _shown(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case dict():
            return "'key: value' pairs"
        case list():
            return "a list"
        case bool():
            return "true" if value else "false"
        case str():
            return f"text {quoted(value)}"
        case _:
            return quoted(value)
