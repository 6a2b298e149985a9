"""Reads the values of a scenario file: every mistake is kept with its place, and reading goes on."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, TypeVar

from recovery.document import Document
from recovery.problem import Path, Problem, did_you_mean, quoted
from recovery.units import UnitError, parse_duration, parse_size

T = TypeVar("T")

LATER = "not available in this version"


@dataclass(slots=True)
class Reading:
    """One file while it is read. problems: what was found so far."""

    document: Document
    problems: list[Problem] = field(default_factory=list)

    def wrong(self, path: Path, text: str, *, key: bool = False) -> None:
        self.problems.append(self.document.problem(path, text, key=key))

    def where(self, path: Path) -> str:
        return f"{self.document.name}:{self.document.where(path, key=True).line}"

    def mapping(self, value: object, path: Path, known: Collection[str], later: Collection[str] = ()) -> dict[str, Any]:
        """The mapping with its unknown keys reported and left out."""
        if not isinstance(value, dict):
            self.wrong(path, f"must be 'key: value' pairs, not {quoted(value)}")
            return {}
        for key in value:
            if key in later:
                self.wrong((*path, key), f"{quoted(key)} is {LATER}", key=True)
            elif key not in known:
                self.wrong((*path, key), f"unknown key {quoted(key)}{did_you_mean(key, known)}", key=True)
        return {key: item for key, item in value.items() if key in known}

    def items(self, value: object, path: Path) -> list[Any]:
        if not isinstance(value, list):
            self.wrong(path, f"must be a list, not {quoted(value)}")
            return []
        return value

    def one(self, value: object, path: Path, kinds: Collection[str], what: str) -> str | None:
        """The only one of `kinds` that is a key of the mapping."""
        found = [kind for kind in kinds if isinstance(value, dict) and kind in value]
        if len(found) == 1:
            return found[0]
        said = f"{what} is missing, one of {', '.join(kinds)}" if not found else f"only one of {', '.join(found)} at a time"
        self.wrong(path, said)
        return None

    def text(self, value: object, path: Path) -> str:
        if isinstance(value, str) and value:
            return value
        self.wrong(path, f"must be text, not {quoted(value)}" + (": put it in quotes" if isinstance(value, int) else ""))
        return ""

    def choice(self, value: object, path: Path, known: Collection[str], later: Collection[str] = ()) -> str | None:
        if isinstance(value, str) and value in known:
            return value
        if isinstance(value, str) and value in later:
            self.wrong(path, f"{quoted(value)} is {LATER}")
        else:
            self.wrong(path, f"{quoted(value)} is none of {', '.join(known)}{did_you_mean(str(value), known)}")
        return None

    def flag(self, value: object, path: Path) -> bool:
        if not isinstance(value, bool):
            self.wrong(path, f"must be true or false, not {quoted(value)}")
        return value is True

    def whole(self, value: object, path: Path, least: int = 0) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        self.wrong(path, f"must be a whole number of at least {least}, not {quoted(value)}")
        return least

    def seconds(self, value: object, path: Path) -> float:
        return self._unit(parse_duration, value, path, 0.0)

    def size(self, value: object, path: Path) -> int:
        return self._unit(parse_size, value, path, 0)

    def percent(self, value: object, path: Path) -> float:
        """`250%`: of one core, so more than 100 is possible."""
        found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)%", value) if isinstance(value, str) else None
        if found is None:
            self.wrong(path, f"{quoted(value)} is no share, write for example '95%'")
            return 0.0
        return float(found[1])

    def shift(self, value: object, path: Path) -> float:
        """`+3h` or `-3h`."""
        if not isinstance(value, str) or value[:1] not in {"+", "-"}:
            self.wrong(path, f"{quoted(value)} is no step of the clock, write for example '+3h'")
            return 0.0
        seconds = self.seconds(value[1:], path)
        return seconds if value[0] == "+" else -seconds

    def pattern(self, value: object, path: Path) -> str:
        text = self.text(value, path)
        try:
            re.compile(text)
        except re.error as error:
            self.wrong(path, f"{quoted(text)} is no regular expression: {error}")
            return ""
        return text

    def pair(self, value: object, path: Path, each: Callable[[object, Path], T]) -> tuple[T, T] | None:
        """`[from, to]`."""
        if not isinstance(value, list) or len(value) != 2:
            self.wrong(path, f"must be [from, to], not {quoted(value)}")
            return None
        return each(value[0], (*path, 0)), each(value[1], (*path, 1))

    def _unit(self, parse: Callable[[object], T], value: object, path: Path, instead: T) -> T:
        try:
            return parse(value)
        except UnitError as error:
            self.wrong(path, str(error))
            return instead
