"""Several files as one tree of plain values, each value with its own place (SPEC 3, conf.d)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recovery.problem import Mark, Path, Problem, dotted
from recovery.yaml import Document


class Sources:
    """value: the merged tree. `base`: where it stands inside its document, () for a file of its own."""

    def __init__(self, document: Document, base: Path = ()) -> None:
        value: Any = document.value
        for part in base:
            value = value[part]
        self.value: dict[str, Any] = value
        self._base = base
        self._documents = [document]
        self._moved: dict[tuple[int, str | int], tuple[Document, Mark, Mark]] = {}

    @property
    def documents(self) -> Sequence[Document]:
        return self._documents

    def add(self, document: Document) -> list[Problem]:
        """Merge another file in: maps deeply, lists appended, anything else may be set once."""
        self._documents.append(document)
        problems: list[Problem] = []
        self._merge(self.value, document.value, document, (), problems)
        return problems

    def _merge(self, into: dict[str, Any], more: dict[str, Any], document: Document, path: Path, problems: list[Problem]) -> None:
        for key, value in more.items():
            here = (*path, key)
            present = into.get(key)
            if key not in into:
                into[key] = value
                self._move(into, key, document, here)
            elif isinstance(present, dict) and isinstance(value, dict):
                self._merge(present, value, document, here, problems)
            elif isinstance(present, list) and isinstance(value, list):
                for index, item in enumerate(value):
                    self._move(present, len(present), document, (*here, index))
                    present.append(item)
            else:
                first = self.problem(here, "", key=True)
                place = f"{first.file}:{first.mark.line}" if first.mark else first.file
                problems.append(document.problem(here, f"is already set in {place}", key=True))

    def _move(self, holder: Any, key: str | int, document: Document, path: Path) -> None:
        self._moved[(id(holder), key)] = (document, document.where(path, key=True), document.where(path))

    def problem(self, path: Path, text: str, *, key: bool = False) -> Problem:
        """A problem at the place of a value or its key; what is not there is at the nearest key above it."""
        document, mark = self._find(path, key)
        return document.at(mark, text, dotted((*self._base, *path)))

    def _find(self, path: Path, key: bool) -> tuple[Document, Mark]:
        first = self._documents[0]
        found = (first, first.where(self._base, key=True), first.where(self._base))
        node: Any = self.value
        for part in path:
            place = self._place(node, part)
            if place is None:
                return found[0], found[1]
            found, node = place, node[part]
        return found[0], found[1] if key else found[2]

    def _place(self, node: Any, part: str | int) -> tuple[Document, Mark, Mark] | None:
        if not isinstance(node, (dict, list)):
            return None
        if moved := self._moved.get((id(node), part)):
            return moved
        for document in self._documents:
            if marks := document.marks_of(node, part):
                return (document, *marks)
        return None
