"""Loads playbooks from their folders: a bad file is refused with every problem in it, the others keep working (SPEC 6).

A playbook of a person replaces the built-in one of the same name. Of two with one name among the folders of people the later is
refused. Files and folders must belong to root or the daemon's user, and nobody else may write them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from recovery.language import ENDS, RUNTIMES, parse
from recovery.model import Playbook
from recovery.ownership import untrusted
from recovery.problem import Problem, did_you_mean, quoted
from recovery.reader import Known
from recovery.registry import Registry
from recovery.yaml import Document, YamlError, load_file, load_text

BUILT_IN = Path(__file__).resolve().parent.parent / "playbooks"
"""The playbooks that come with the program, beside its packages."""


@dataclass(frozen=True, slots=True)
class Playbooks:
    """books: by name, those that may be used. found: what is wrong with the others, in the order of files and lines."""

    books: Mapping[str, Playbook]
    found: tuple[Problem, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """One line each, `file:line:col: path: text`."""
        return tuple(map(str, self.found))


@dataclass(frozen=True, slots=True)
class _Read:
    """A file that was read without a problem of its own."""

    book: Playbook
    document: Document


def load_playbooks(
    folders: Iterable[Path],
    registry: Registry,
    *,
    symptoms: Collection[str] | None = None,
    runtimes: Collection[str] | None = RUNTIMES,
    commands: Collection[str] | None = None,
    built_in: Path | None = BUILT_IN,
    distrust: Callable[[Path], str | None] = untrusted,
) -> Playbooks:
    """Every `*.yaml` of the folders (a file stands for itself) and the built-in ones.

    symptoms, commands: the known names, None to leave them unchecked.
    distrust: why a file or folder must not be believed; built-in playbooks are as trusted as the program they come with.
    """
    known = Known(registry, symptoms, runtimes, commands)
    problems: list[Problem] = []
    reads: dict[str, _Read] = {}
    for path in _files(built_in, problems) if built_in is not None else ():
        _take(path, known, reads, problems)
    own: dict[str, _Read] = {}
    for folder in folders:
        if built_in is not None and folder.resolve() == built_in.resolve():
            continue  # read already
        reason = distrust(folder)
        if reason:
            problems.append(Problem(str(folder), None, "", f"not loaded: {reason}"))
            continue
        for path in _files(folder, problems):
            reason = distrust(path)
            if reason:
                problems.append(Problem(str(path), None, "", f"not loaded: {reason}"))
            else:
                _take(path, known, own, problems)
    reads |= own
    problems += _without_bad_rungs(reads)
    books = MappingProxyType({name: reads[name].book for name in sorted(reads)})
    return Playbooks(books, tuple(sorted(problems, key=lambda problem: problem.order)))


def from_source(source: str, name: str, registry: Registry) -> Playbook:
    """The playbook of a stored run, which keeps the steps with which it began (SPEC 3).

    Raises YamlError when this version does not understand it any more.
    """
    book, problems = parse(load_text(source, name), Known(registry))
    if book is None:
        raise YamlError(problems)
    return book


def _files(folder: Path, problems: list[Problem]) -> Iterator[Path]:
    """The playbooks of one folder in the order of their names, or one file; folders inside (scenarios) are not looked into."""
    if folder.is_file():
        yield folder
        return
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if not entry.is_dir())
    except OSError as error:
        problems.append(Problem(str(folder), None, "", f"cannot be read: {error.strerror}"))
        return
    for name in names:
        if name.endswith((".yaml", ".yml")) and not name.startswith("."):
            yield folder / name


def _take(path: Path, known: Known, reads: dict[str, _Read], problems: list[Problem]) -> None:
    try:
        document = load_file(path)
    except YamlError as error:
        problems.extend(error.problems)
        return
    book, found = parse(document, known)
    if book is None:
        problems.extend(found)
        return
    unknown = _unknown_commands(book, document, known.commands)
    missing = [test for test in book.tests if not (path.parent / test).is_file()]
    if unknown:
        problems.extend(unknown)
    elif missing:
        problems.extend(document.problem(("tests", book.tests.index(test)), f"no file {quoted(test)}") for test in missing)
    elif book.name in reads:
        problems.append(document.problem(("name",), f"{quoted(book.name)} is the name of {reads[book.name].book.path} too"))
    else:
        reads[book.name] = _Read(book, document)


def _unknown_commands(book: Playbook, document: Document, commands: Collection[str] | None) -> list[Problem]:
    """A step that could only fail, and only at night: `run_command` with a name that the configuration does not have."""
    if commands is None:
        return []
    problems = []
    for number, step in enumerate(book.steps):
        if step.action == "run_command" and step.params.name not in commands:
            text = f"unknown command {quoted(step.params.name)}{did_you_mean(step.params.name, commands)}"
            problems.append(document.problem(("steps", number, "run_command", "name"), text))
    return problems


def _without_bad_rungs(reads: dict[str, _Read]) -> list[Problem]:
    """Takes out what names an unknown rung, or stands on a circle of rungs, until nothing of that kind is left."""
    problems: list[Problem] = []
    refused: set[str] = set()
    while bad := {name: text for name in reads if (text := _bad_rung(name, reads, refused))}:
        problems.extend(reads[name].document.problem(("otherwise",), text) for name, text in bad.items())
        refused |= set(bad)
        for name in bad:
            del reads[name]
    return problems


def _bad_rung(name: str, reads: Mapping[str, _Read], refused: Collection[str]) -> str | None:
    rung = reads[name].book.otherwise
    if rung in ENDS:
        return None
    if rung in refused:
        return f"its next rung {quoted(rung)} was refused"
    if rung not in reads:
        return f"unknown playbook {quoted(rung)}{did_you_mean(rung, [*reads, *ENDS])}"
    ladder = [name]
    while rung in reads and rung not in ladder:
        ladder.append(rung)
        rung = reads[rung].book.otherwise
    return f"a circle of rungs: {' -> '.join([*ladder, name])}" if rung == name else None
