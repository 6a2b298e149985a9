"""A YAML document that was read: plain values, and the place of every key and value."""

from __future__ import annotations

import re
from typing import Any

from recovery.problem import Mark, Path, Problem, dotted

BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""What the parser counts as the end of a line."""


_BITS = 60
"""Of one packed mark: 20 each for line, column and width; a file has at most 256 KiB."""


class YamlError(ValueError):
    """The text cannot be used; `problems` holds everything that was found."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


class Document:
    """value: plain dicts, lists, texts, numbers, booleans and None. name: how the file is called in errors.

    root: the place of the top. The places of a container's members are kept in the order of the members, each pair in one
    number, because a fleet of ten thousand has a quarter of a million of them.
    """

    __slots__ = ("_lines", "_marks", "name", "root", "text", "value")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.value: dict[str, Any] = {}
        self.root = Mark(1, 1)
        self._marks: dict[int, list[int]] = {}
        self._lines: list[str] | None = None

    def where(self, path: Path, *, key: bool = False) -> Mark:
        """The place of a value, or of its key. What is not there is at the key of the nearest container that is."""
        node: Any = self.value
        found = (self.root, self.root)
        for part in path:
            marks = self.marks_of(node, part)
            if marks is None:
                return found[0]
            found, node = marks, node[part]
        return found[0] if key else found[1]

    def note(self, holder: dict[str, Any] | list[Any], key: Mark, value: Mark) -> None:
        """The places of the member that was added last to `holder`."""
        self._marks.setdefault(id(holder), []).append(_packed(key) << _BITS | _packed(value))

    def marks_of(self, holder: Any, part: str | int) -> tuple[Mark, Mark] | None:
        """The places of key and value of one member; None when it was not read from this document."""
        noted = self._marks.get(id(holder))
        if noted is None or not isinstance(holder, (dict, list)):
            return None
        index = part if isinstance(part, int) else next((at for at, key in enumerate(holder) if key == part), len(noted))
        if not 0 <= index < len(noted):
            return None
        return _unpacked(noted[index] >> _BITS), _unpacked(noted[index] & ((1 << _BITS) - 1))

    def problem(self, path: Path, text: str, *, key: bool = False) -> Problem:
        """A problem at `path` with its source line."""
        return self.at(self.where(path, key=key), text, dotted(path))

    def at(self, mark: Mark, text: str, path: str = "") -> Problem:
        """A problem at a place with its source line."""
        if self._lines is None:
            self._lines = BREAK.split(self.text)
        source = self._lines[mark.line - 1] if mark.line <= len(self._lines) else ""
        return Problem(self.name, mark, path, text, source)


def _packed(mark: Mark) -> int:
    return mark.line << 40 | mark.column << 20 | mark.width


def _unpacked(number: int) -> Mark:
    return Mark(number >> 40, number >> 20 & 0xFFFFF, number & 0xFFFFF)
