"""YAML read strictly, with the place of every key and value (SPEC 3).

By the core rules of YAML 1.2, and less: only `true` and `false` are booleans, only decimal numbers are numbers, keys are text.
Dates, base 60, octal numbers, `on` and `yes` stay text. Anchors, aliases, merge keys, tags, directives and
duplicate keys are errors. 256 KiB and 32 levels at most.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path as File
from typing import Any

import yaml

from recovery.composer import DEEPEST, Composer, resolve_plain
from recovery.document import BREAK, Document, YamlError
from recovery.problem import Mark, Problem

LARGEST = 256 * 1024
"""Bytes of one file at most."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_VARIABLE = re.compile(r"\$\{[^}\n]*\}?")


__all__ = ["Document", "YamlError", "load_bytes", "load_file", "load_text", "resolve_plain"]


def load_file(path: File, name: str | None = None) -> Document:
    """Read one regular file. Raises YamlError only. name: how it is called in errors, default the path."""
    name = name or str(path)
    try:
        return load_bytes(_read(path, name), name)
    except YamlError:
        raise
    except (OSError, ValueError) as error:
        raise _whole(name, f"cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _read(path: File, name: str) -> bytes:
    # O_NONBLOCK: a FIFO must not hang the daemon.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _whole(name, "is no regular file")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(LARGEST + 1)
    finally:
        os.close(descriptor)


def load_bytes(data: bytes, name: str) -> Document:
    """UTF-8 bytes, with or without a byte order mark. Raises YamlError only."""
    if len(data) > LARGEST:
        raise _whole(name, f"is larger than {LARGEST // 1024} KiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        mark = Mark(before.count(b"\n") + 1, len(before[before.rfind(b"\n") + 1 :].decode(errors="replace")) + 1)
        raise YamlError((Problem(name, mark, "", "is not UTF-8 text"),)) from error
    return load_text(text, name)


def load_text(text: str, name: str) -> Document:
    """One document whose top is a mapping. Raises YamlError with everything that can be found at once, and nothing else."""
    if len(text) > LARGEST:
        raise _whole(name, f"is larger than {LARGEST // 1024} KiB")
    document = Document(name, text)
    if found := _FORBIDDEN.search(text):
        lines = BREAK.split(text[: found.start()])
        what = "a NUL byte" if found[0] == "\0" else f"the control character U+{ord(found[0]):04X}"
        raise YamlError((document.at(Mark(len(lines), len(lines[-1]) + 1), f"contains {what}"),))
    builder = Composer(document)
    try:
        for event in _events(text):
            builder.feed(event)
            if builder.full:
                break
    except yaml.MarkedYAMLError as error:
        builder.problems.append(_syntax(document, error))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        builder.problems.append(document.at(Mark(1, 1), f"not valid YAML: {error}"))
    if not builder.problems and not builder.rooted:
        builder.problems.append(document.at(Mark(1, 1), "the file is empty"))
    if builder.problems:
        raise YamlError(tuple(sorted(builder.problems, key=lambda problem: problem.order)))
    return document


def _events(text: str) -> Iterator[Any]:
    loader = _LOADER(text)
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()


def _syntax(document: Document, error: yaml.MarkedYAMLError) -> Problem:
    """A parser's words in ours, with the likely mend."""
    at: Any = error.problem_mark or error.context_mark
    mark = Mark(at.line + 1, at.column + 1) if at else Mark(1, 1)
    problem = document.at(mark, "")
    line = problem.source
    if found := _unquoted_variable(line):
        text = f'quote it: "{found[0]}" (inside [ ] and {{ }} a ${{VARIABLE}} needs quotes)'
        return document.at(Mark(mark.line, found.start() + 1, len(found[0])), text)
    return document.at(mark, _words(str(error.problem), line[mark.column - 1 : mark.column], error.context_mark))


def _unquoted_variable(line: str) -> re.Match[str] | None:
    for found in _VARIABLE.finditer(line):
        before = line[: found.start()]
        if before.count('"') % 2 == 0 and before.count("'") % 2 == 0 and not re.search(r"(^|\s)#", before):
            return found
    return None


def _words(problem: str, character: str, begun: Any) -> str:
    since = f" (it begins in line {begun.line + 1})" if begun else ""
    if "cannot start any token" in problem:
        return (
            "a tab cannot indent, use spaces" if character == "\t" else f"a value that begins with '{character}' must be quoted"
        )
    if "mapping values are not allowed" in problem:
        return "no ':' is expected here: check the indentation, or quote the value"
    if "expected ',' or ']'" in problem:
        return f"a ',' or ']' is missing{since}"
    if "expected ',' or '}'" in problem:
        return f"a ',' or '}}' is missing{since}"
    if "expected ':'" in problem:
        return f"a ':' is missing after a key{since}"
    if "end of stream" in problem or "unexpected end" in problem:
        return f"the file ends in the middle of a value{since}"
    if "block end" in problem or "expected key" in problem or "expected <block end>" in problem:
        return f"the indentation does not fit{since}"
    if "nesting depth" in problem:
        return f"nested deeper than {DEEPEST} levels"
    return f"not valid YAML: {problem}{since}"


def _whole(name: str, text: str) -> YamlError:
    return YamlError((Problem(name, None, "", text),))
