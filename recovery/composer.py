"""From parser events to a document, by the strict rules of SPEC 3; every breach is noted, not only the first."""

from __future__ import annotations

import re
import sys
from typing import Any

import yaml

from recovery.document import Document
from recovery.problem import Mark, Problem, dotted, quoted

DEEPEST = 32
LONGEST_TEXT = 32 * 1024
MOST_PROBLEMS = 100
"""Levels of nesting, characters of one value, problems shown at once."""

_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_CONSTANTS = {"": None, "~": None, "null": None, "Null": None, "NULL": None, "true": True, "false": False}


def resolve_plain(text: str) -> object:
    """What an unquoted scalar means: None, bool, int, float or the text itself. Raises ValueError for numbers beyond use."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INT.fullmatch(text):
        if len(text) > 19:
            raise ValueError(f"{quoted(text)} is too large a number, write it in quotes if it is text")
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(text) if len(text) <= 64 else float("inf")
        if number in (float("inf"), float("-inf")):
            raise ValueError(f"{quoted(text)} is too large a number, write it in quotes if it is text")
        return number
    return text


class Composer:
    """Builds the value from parser events without recursion, and notes the place of everything.

    feed: one event after the other. full: enough was found, the rest need not be read. rooted: the document holds something.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self.rooted = False
        self.too_deep = False
        self._stack: list[dict[str, Any] | list[Any]] = []
        self._path: list[str | int] = []
        self._key: tuple[str, Mark] | None = None
        self._skip = 0

    @property
    def full(self) -> bool:
        return self.too_deep or len(self.problems) >= MOST_PROBLEMS

    def feed(self, event: Any) -> None:
        if isinstance(event, yaml.NodeEvent):
            self._node(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._close()
        elif isinstance(event, yaml.DocumentStartEvent):
            if self.rooted:
                self._report(event, "a second document begins here, a file holds one")
            elif event.version or event.tags:
                self._report(event, "directives (%YAML, %TAG) are not allowed")

    def _node(self, event: Any) -> None:
        if event.anchor is not None:
            kind, sign = ("alias", "*") if isinstance(event, yaml.AliasEvent) else ("anchor", "&")
            self._report(event, f"{kind} {quoted(sign + event.anchor)}: anchors and aliases are not allowed")
        tag = getattr(event, "tag", None)
        if tag is not None:
            self._report(event, f"tag {quoted(tag.replace('tag:yaml.org,2002:', '!!'))}: tags are not allowed")
        scalar = isinstance(event, (yaml.ScalarEvent, yaml.AliasEvent))
        if self._skip or self._wants_key:
            if self._skip or not scalar:
                self._complex_key(event, scalar)
            else:
                self._take_key(event)
            return
        value: Any = self._scalar(event) if scalar else {} if isinstance(event, yaml.MappingStartEvent) else []
        self._attach(value, event)
        if not scalar:
            self._stack.append(value)
            if len(self._stack) > DEEPEST:
                self.too_deep = True
                self._report(event, f"nested deeper than {DEEPEST} levels")

    @property
    def _wants_key(self) -> bool:
        return bool(self._stack) and isinstance(self._stack[-1], dict) and self._key is None

    def _complex_key(self, event: Any, scalar: bool) -> None:
        if not self._skip:
            self._report(event, "a key must be plain text; a value that begins with '{' or '[' and is text must be quoted")
        self._skip += 0 if scalar else 1
        if self._skip + len(self._stack) > DEEPEST:
            self.too_deep = True

    def _take_key(self, event: Any) -> None:
        key = sys.intern(getattr(event, "value", ""))  # the same few words ten thousand times
        mark = _mark(event)
        holder = self._stack[-1]
        if event.__class__ is yaml.ScalarEvent:
            if key == "<<" and event.implicit[0]:
                self._report(event, "merge keys ('<<') are not allowed")
            elif not key.strip():
                self._report(event, "a key is missing before ':'")
            elif len(key) > 256 or _UNSAFE.search(key):
                self._report(event, f"{quoted(key)} is no usable key")
            elif key in holder:
                first = self.document.marks_of(holder, key)
                self._report(event, f"key {quoted(key)} stands twice, first in line {first[0].line if first else '?'}")
        self._key = (key, mark)

    def _attach(self, value: Any, event: Any) -> None:
        mark = _mark(event)
        if not self._stack:
            if not self.rooted:
                self.rooted = True
                self._root(value, event, mark)
            return
        holder = self._stack[-1]
        if isinstance(holder, list):
            self._path.append(len(holder))
            holder.append(value)
            self.document.note(holder, mark, mark)
        else:
            assert self._key is not None  # noqa: S101 - _wants_key
            key, key_mark = self._key
            self._key = None
            self._path.append(key)
            if key not in holder:
                holder[key] = value
                self.document.note(holder, key_mark, mark)
        if not isinstance(value, (dict, list)):
            self._path.pop()

    def _root(self, value: Any, event: Any, mark: Mark) -> None:
        self.document.root = mark
        if isinstance(value, dict):
            self.document.value = value
        elif value is None:
            self._report(event, "the file is empty")
        else:
            self._report(event, "the file must hold 'key: value' pairs at its top")

    def _close(self) -> None:
        if self._skip:
            self._skip -= 1
            if not self._skip:
                self._key = ("", Mark(1, 1))
            return
        self._stack.pop()
        if self._path:
            self._path.pop()

    def _scalar(self, event: Any) -> object:
        if isinstance(event, yaml.AliasEvent):
            return None
        text = event.value
        if len(text) > LONGEST_TEXT:
            self._report(event, f"a value longer than {LONGEST_TEXT // 1024} KiB")
        elif _UNSAFE.search(text):
            self._report(event, "a value with a control character")
        elif event.implicit[0]:
            try:
                return resolve_plain(text)
            except ValueError as error:
                self._report(event, str(error))
        return text

    def _report(self, event: Any, text: str) -> None:
        path = (*self._path, self._key[0]) if self._key else tuple(self._path)
        self.problems.append(self.document.at(_mark(event), text, dotted(path)))


def _mark(event: Any) -> Mark:
    start, end = event.start_mark, event.end_mark
    width = end.column - start.column if end.line == start.line else 1
    return Mark(start.line + 1, start.column + 1, max(1, width))
