"""Reads one YAML document field by field and gathers every problem with its place."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from recovery.params import read
from recovery.problem import Path, Problem, did_you_mean, quoted
from recovery.registry import Registry
from recovery.yaml import Document


@dataclass(frozen=True, slots=True)
class Known:
    """What names are checked against; None: not checked (a stored run of an older version)."""

    registry: Registry
    symptoms: Collection[str] | None = None
    runtimes: Collection[str] | None = None
    commands: Collection[str] | None = None


@dataclass(slots=True)
class Reader:
    """Reads one document and gathers its problems."""

    document: Document
    known: Known
    problems: list[Problem] = field(default_factory=list)

    def report(self, path: Path, text: str, *, key: bool = False) -> None:
        self.problems.append(self.document.problem(path, text, key=key))

    def pairs(self, value: object, path: Path) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        self.report(path, "must be 'key: value' pairs", key=True)
        return {}

    def items(self, value: object, path: Path) -> list[Any]:
        if isinstance(value, list):
            return value
        self.report(path, "must be a list", key=True)
        return []

    def texts(self, value: object, path: Path) -> tuple[str, ...]:
        found = self.items(value, path)
        for index, item in enumerate(found):
            if not isinstance(item, str) or not item:
                self.report((*path, index), f"must be text, not {quoted(item)}")
        return tuple(item for item in found if isinstance(item, str))

    def fields(self, holder: Mapping[str, Any], path: Path, hints: Mapping[str, Any]) -> dict[str, Any]:
        """Those of `hints` that are there and well formed."""
        read_values = {}
        for key, hint in hints.items():
            if key not in holder:
                continue
            try:
                read_values[key] = read(hint, holder[key])
            except ValueError as error:
                self.report((*path, key), str(error))
        return read_values

    def strangers(self, holder: Mapping[str, Any], path: Path, known: Collection[str], what: str) -> None:
        for key in holder:
            if key not in known:
                self.report((*path, key), f"unknown {what} '{key}'{did_you_mean(key, known)}", key=True)

    def at_least(self, values: Mapping[str, Any], path: Path, key: str, least: float, text: str) -> None:
        if key in values and values[key] < least:
            self.report((*path, key), text)
