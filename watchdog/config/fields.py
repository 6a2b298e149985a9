"""The field types of the schema: durations, shares, budgets, clock times, addresses, read from their text form (SPEC 3).

Python code may give resolved values (seconds as float) as well; in a file (`FROM_FILE`) only the text form is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, Strict, ValidationInfo, WithJsonSchema

from recovery.problem import did_you_mean
from recovery.units import (
    DURATION_PATTERN,
    RATE_PATTERN,
    SHARE_PATTERN,
    compact_duration,
    parse_duration,
    parse_rate,
    parse_share,
)
from watchdog.config.secrets import Secret

FROM_FILE = {"file": True}
"""The validation context of what a person wrote: numbers without a unit are errors."""

EMPTY: Mapping[str, Any] = MappingProxyType({})
"""The shared empty mapping: ten thousand services do not need ten thousand of them."""

SHORTEST = 0.2
"""Seconds from one check to the next at least: two ticks."""

HEALTH_FIELDS = (
    "status", "reason", "message", "uptime_s", "instance", "version", "progress", "queue", "errors", "apis", "checks", "metrics",
)  # fmt: skip
"""What an answer in our own form holds (SPEC 2)."""

NAME_PATTERN = r"^[a-z0-9][a-z0-9_.-]{0,62}$"
CLOCK_PATTERN = r"^([01]?[0-9]|2[0-3]):[0-5][0-9]$"
NIGHT_PATTERN = CLOCK_PATTERN[:-1] + "-" + CLOCK_PATTERN[1:]
ADDRESS_PATTERN = r"^([A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}$"
VARIABLE_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]*$"
RELOAD_SIGNALS = ("HUP", "USR1", "USR2", "WINCH", "CONT")
URL_PATTERN = r"^https?://\S+$"


@dataclass(frozen=True, slots=True)
class Budget:
    """At most `count` in a sliding window of `seconds`; written `3/1h`."""

    count: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Night:
    """Local clock times; it goes over midnight when `end` is not after `start`; written `22:00-08:00`."""

    start: time
    end: time


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number of checks in a row or seconds of silence: exactly one of the two is set; written `4` or `2m`."""

    count: int | None = None
    seconds: float | None = None


def shared(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """One read-only object for equal mappings of texts: labels and dependencies repeat over a fleet."""
    return _shared(tuple(value.items())) if value else EMPTY


@lru_cache(maxsize=4096)
def _shared(items: tuple[tuple[str, Any], ...]) -> Mapping[str, Any]:
    return MappingProxyType(dict(items))


def _written(info: ValidationInfo) -> bool:
    return bool(info.context and info.context.get("file"))


def _duration(value: object, info: ValidationInfo) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and not _written(info):
        return float(value)
    return parse_duration(value)


def _span(value: object, info: ValidationInfo) -> float:
    return parse_duration(value, ("d", "h")) if _written(info) else _duration(value, info)


def _above_zero(value: float) -> float:
    if value <= 0:
        raise ValueError("must be longer than zero")
    return value


def _tempo(value: float) -> float:
    if value < SHORTEST:
        raise ValueError(f"must be at least {compact_duration(SHORTEST)}")
    return value


def _share(value: object, info: ValidationInfo) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and not _written(info)
    share = float(value) if number else parse_share(value)  # type: ignore[arg-type]
    if not 0 < share <= 1:
        raise ValueError("must be above 0% and at most 100%")
    return share


def _budget(value: object) -> Budget:
    return value if isinstance(value, Budget) else Budget(*parse_rate(value))


def as_clock(value: object) -> time:
    """`08:30` as a time of day. Raises ValueError."""
    if isinstance(value, time):
        return value
    if not isinstance(value, str) or not re.fullmatch(CLOCK_PATTERN, value):
        raise ValueError(f"'{value}' is no time of day, write for example '08:30'")
    hour, minute = value.split(":")
    return time(int(hour), int(minute))


def as_night(value: object) -> Night:
    """`22:00-08:00` as its two clock times. Raises ValueError."""
    if isinstance(value, Night):
        return value
    if not isinstance(value, str) or not re.fullmatch(NIGHT_PATTERN, value):
        raise ValueError(f"'{value}' is no stretch of the day, write for example '22:00-08:00'")
    start, end = value.split("-")
    return Night(as_clock(start), as_clock(end))


def _threshold(value: object) -> Threshold:
    if isinstance(value, Threshold):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 1:
            raise ValueError(f"'{value}': at least 1 check")
        return Threshold(count=value)
    if isinstance(value, str):
        return Threshold(seconds=_above_zero(parse_duration(value)))
    raise ValueError(f"'{value}' is neither a number of checks nor a duration, write for example 4 or '2m'")


def split_address(text: str) -> tuple[str, int]:
    """`host:port` or `[v6]:port` as host and port. Raises ValueError with what to write."""
    if not re.fullmatch(ADDRESS_PATTERN, text):
        raise ValueError(f"'{text}' is no address, write 'host:port'")
    host, _, port = text.rpartition(":")
    if not 1 <= int(port) <= 65535:
        raise ValueError(f"'{text}': a port is a number from 1 to 65535")
    return host.strip("[]"), int(port)


def _address(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"'{value}' is no address, write \"host:port\" in quotes")
    split_address(value)
    return value


def as_url(value: object) -> str:
    """An http URL without user, password and fragment. Raises ValueError with what to write."""
    if not isinstance(value, str) or not re.fullmatch(URL_PATTERN, value):
        raise ValueError(f"'{value}' is no URL, write for example 'http://127.0.0.1:8101/health'")
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"'{value}' is no URL: {error}") from error
    if not parts.hostname or port == 0:
        raise ValueError(f"'{value}' is no URL: it names no host and port to ask")
    if parts.username is not None or parts.password is not None:
        raise ValueError("a user or password does not belong into a URL")
    if parts.fragment:
        raise ValueError(f"'{value}': the part after '#' is never sent, leave it out")
    return value


def _target(value: object) -> str:
    return as_url(value) if isinstance(value, str) and "://" in value else _address(value)


def _account(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return str(value)
    if not isinstance(value, str) or not value:
        raise ValueError(f"'{value}' is no user, write a name or a number")
    return value


def _signal(value: object) -> str:
    name = value.removeprefix("SIG") if isinstance(value, str) else value
    if name not in RELOAD_SIGNALS:
        raise ValueError(f"'{value}' is no signal to reload by, write one of {', '.join(RELOAD_SIGNALS)}")
    return str(name)


def _environment(value: object) -> dict[str, str | Secret]:
    if not isinstance(value, Mapping):
        raise ValueError("needs 'NAME: text' pairs")
    for name, text in value.items():
        if not isinstance(name, str) or not re.fullmatch(VARIABLE_PATTERN, name):
            raise ValueError(f"'{name}' is no name of an environment variable")
        if name.startswith("BOT_WATCHDOG_"):
            raise ValueError(f"'{name}' is set by the watchdog itself")
        if not isinstance(text, (str, Secret)):
            raise ValueError(f"'{name}' must be text, write its value in quotes")
    return dict(value)


def _health_map(value: Mapping[str, str]) -> Mapping[str, str]:
    for name, path in value.items():
        if name.split(".")[0] not in HEALTH_FIELDS:
            hint = did_you_mean(name, HEALTH_FIELDS) or f"; these are: {', '.join(HEALTH_FIELDS)}"
            raise ValueError(f"'{name}' is no field of an answer{hint}")
        if not path.strip("$. "):
            raise ValueError(f"'{name}' needs a path into the answer, for example service.status.state")
    return shared(value)


def pattern(form: str, *examples: str) -> WithJsonSchema:
    """A text of that form, for editors."""
    return WithJsonSchema({"type": "string", "pattern": form, "minLength": 1, "examples": list(examples)})


Words = Annotated[Mapping[str, str], AfterValidator(shared)]
HealthMap = Annotated[
    Mapping[str, str],
    AfterValidator(_health_map),
    WithJsonSchema(
        {
            "type": "object",
            "propertyNames": {"pattern": f"^({'|'.join(HEALTH_FIELDS)})([.].+)?$"},
            "additionalProperties": {"type": "string", "minLength": 1},
        }
    ),
]
Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Strict()]
Count = Annotated[int, Strict(), Field(ge=1)]
Seconds = Annotated[float, BeforeValidator(_duration), pattern(DURATION_PATTERN, "30s", "2m")]
Period = Annotated[Seconds, AfterValidator(_above_zero)]
Span = Annotated[float, BeforeValidator(_span), pattern(DURATION_PATTERN, "90d", "12h"), AfterValidator(_above_zero)]
Tempo = Annotated[Seconds, AfterValidator(_tempo)]
Share = Annotated[float, BeforeValidator(_share), pattern(SHARE_PATTERN, "50%")]
PerTime = Annotated[Budget, PlainValidator(_budget), pattern(RATE_PATTERN, "3/1h")]
Clock = Annotated[time, PlainValidator(as_clock), pattern(CLOCK_PATTERN, "08:30")]
Hours = Annotated[Night, PlainValidator(as_night), pattern(NIGHT_PATTERN, "22:00-08:00")]
Patience = Annotated[
    Threshold,
    PlainValidator(_threshold),
    WithJsonSchema(
        {"oneOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": DURATION_PATTERN, "minLength": 1}]}
    ),
]
Address = Annotated[str, PlainValidator(_address), pattern(ADDRESS_PATTERN, "127.0.0.1:5432")]
Url = Annotated[str, PlainValidator(as_url), pattern(URL_PATTERN, "http://127.0.0.1:8101/health")]
Reachable = Annotated[
    str,
    PlainValidator(_target),
    WithJsonSchema({"type": "string", "anyOf": [{"pattern": URL_PATTERN}, {"pattern": ADDRESS_PATTERN}]}),
]
Account = Annotated[str, PlainValidator(_account), WithJsonSchema({"type": ["string", "integer"], "minimum": 0, "minLength": 1})]
ReloadSignal = Annotated[
    str, PlainValidator(_signal), WithJsonSchema({"enum": [*RELOAD_SIGNALS, *(f"SIG{name}" for name in RELOAD_SIGNALS)]})
]
SECRET_FORMS = [
    {
        "type": "object",
        "properties": {form: {"type": "string", "minLength": 1}},
        "required": [form],
        "additionalProperties": False,
    }
    for form in ("file", "env", "credential")
]
Environment = Annotated[
    Mapping[str, str | Secret],
    PlainValidator(_environment),
    WithJsonSchema(
        {
            "type": "object",
            "propertyNames": {"pattern": VARIABLE_PATTERN},
            "additionalProperties": {"oneOf": [{"type": "string"}, *SECRET_FORMS]},
        }
    ),
]
