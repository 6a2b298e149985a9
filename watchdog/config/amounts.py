"""The field types for CPU and memory, read from their text form (SPEC 3): a share of one core, and bytes."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, ValidationInfo, WithJsonSchema

from recovery.units import SHARE_PATTERN, SIZE_PATTERN, parse_share, parse_size


def _written(info: ValidationInfo) -> bool:
    """By a person, who gives the unit; Python code may give the number (see `fields.FROM_FILE`)."""
    return bool(info.context and info.context.get("file"))


def _of_core(value: object, info: ValidationInfo) -> float:
    """`90%` as 90.0: of one core, so that more than 100 is possible."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and not _written(info):
        percent = float(value)
    elif isinstance(value, str) and re.fullmatch(SHARE_PATTERN, value):
        percent = float(value[:-1])
    else:
        parse_share(value)  # says what to write instead
        raise ValueError(f"'{value}' is no share of a core, write for example '90%'")
    if percent <= 0:
        raise ValueError("must be above 0%")
    return percent


def _size(value: object, info: ValidationInfo) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and not _written(info):
        return value
    size = parse_size(value)
    if size < 1:
        raise ValueError("must be more than nothing")
    return size


def _schema(pattern: str, *examples: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern, "minLength": 1, "examples": list(examples)})


OfCore = Annotated[float, BeforeValidator(_of_core), _schema(SHARE_PATTERN, "90%")]
Size = Annotated[int, BeforeValidator(_size), _schema(SIZE_PATTERN, "800MB", "2GiB")]
