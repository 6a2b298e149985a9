"""From files to Settings, or every error at once (SPEC 3)."""

from __future__ import annotations

import copy
import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recovery.ownership import untrusted
from recovery.problem import Path as Keys
from recovery.problem import Problem
from recovery.yaml import Document, YamlError, load_file
from watchdog.config.build import Also, build
from watchdog.config.find import find
from watchdog.config.programs import missing
from watchdog.config.schema import Settings
from watchdog.config.secrets import Resolve, resolve
from watchdog.config.sources import Sources
from watchdog.config.warnings import remarks
from watchdog.errors import ConfigurationError
from watchdog.redaction import redact

__all__ = ["Also", "Loaded", "SettingsError", "find", "from_document", "from_values", "load", "load_all"]


class SettingsError(ConfigurationError):
    """`found` holds the problems with their places and source lines, for `recovery.problem.render_all`."""

    def __init__(self, found: Iterable[Problem]) -> None:
        unique = {(problem.order, problem.path, problem.text): problem for problem in found}
        self.found = tuple(sorted(unique.values(), key=lambda problem: problem.order))
        super().__init__(tuple(map(str, self.found)))


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings with what `check` and `status` want to know beside them.

    warnings: allowed and yet probably not meant. digest: of all files' text. files: as read, the main one first.
    """

    settings: Settings
    warnings: tuple[Problem, ...]
    digest: str
    files: tuple[Path, ...]


def load(
    path: Path, *, check_trust: bool = True, environ: Mapping[str, str] | None = None, secrets: Resolve = resolve
) -> Settings:
    """The settings of a file; see `load_all`."""
    return load_all(path, check_trust=check_trust, environ=environ, secrets=secrets).settings


def load_all(
    path: Path,
    *,
    check_trust: bool = True,
    environ: Mapping[str, str] | None = None,
    also: Also | None = None,
    secrets: Resolve = resolve,
) -> Loaded:
    """Read `path` and conf.d/*.yaml beside it, in the order of their names.

    Raises SettingsError, a ConfigurationError, with every problem of all files, sorted by place.
    check_trust: refuse files and folders that others could write (SPEC 6). environ: default the process's own. also: more
    checks, whose problems go into the same list. secrets: how they are read.
    """
    found: list[Problem] = []
    files = (path, *_parts(path, check_trust, found))
    documents = [document for file in files if (document := _read(file, check_trust, found))]
    if not documents or documents[0].name != str(path):
        raise SettingsError(found)
    whole = not found
    sources = Sources(documents[0])
    for document in documents[1:]:
        found.extend(sources.add(document))
    environ = os.environ if environ is None else environ
    return _finish(sources, path.parent, environ, found, files, whole=whole, also=also, secrets=secrets)


def from_document(
    document: Document, base: Keys, folder: Path | None, environ: Mapping[str, str], secrets: Resolve = resolve
) -> Loaded:
    """Settings that stand inside another document, as in a scenario. Raises SettingsError.

    base: where in it. folder: where relative paths begin; None: they stay as they are.
    """
    value: Any = document.value
    for part in base:
        value = value.get(part) if isinstance(value, dict) else None
    if not isinstance(value, dict):
        raise SettingsError([document.problem(base, "needs 'key: value' pairs")])
    return _finish(Sources(document, base), folder, environ, [], (), secrets=secrets)


def from_values(values: Mapping[str, Any], name: str = "settings") -> Settings:
    """Settings from plain values in the form of a file. Raises SettingsError."""
    document = Document(name, "")
    document.value = copy.deepcopy(dict(values))
    return from_document(document, (), None, {}).settings


def _finish(
    sources: Sources,
    folder: Path | None,
    environ: Mapping[str, str],
    found: list[Problem],
    files: tuple[Path, ...],
    *,
    whole: bool = True,
    also: Also | None = None,
    secrets: Resolve = resolve,
) -> Loaded:
    settings, more = build(sources, folder, environ, whole=whole, also=also, secrets=secrets)
    found = [*found, *more]
    if found or settings is None:
        raise SettingsError(found)
    digest = hashlib.sha256("\0".join(part for document in sources.documents for part in (document.name, document.text)).encode())
    name = sources.documents[0].name
    told = (*remarks(settings), *missing(settings))
    warnings = [sources.problem(at, text, key=True) if at else Problem(name, None, "", text) for at, text in told]
    shown = (replace(each, source=redact(each.source)) if ".env." in each.path else each for each in warnings)
    return Loaded(settings, tuple(shown), digest.hexdigest(), files)


def _read(file: Path, check_trust: bool, found: list[Problem]) -> Document | None:
    if check_trust and os.path.lexists(file) and (reason := untrusted(file)):
        found.append(Problem(str(file), None, "", f"is not trusted: {reason}"))
        return None
    try:
        return load_file(file)
    except YamlError as error:
        found.extend(error.problems)
        return None


def _parts(path: Path, check_trust: bool, found: list[Problem]) -> list[Path]:
    folder = path.parent / "conf.d"
    if not folder.is_dir():
        return []
    if check_trust and (reason := untrusted(folder)):
        found.append(Problem(str(folder), None, "", f"is not trusted: {reason}"))
        return []
    try:
        return sorted(part for part in folder.iterdir() if part.suffix == ".yaml" and not part.name.startswith("."))
    except OSError as error:
        found.append(Problem(str(folder), None, "", f"cannot be read: {error.strerror}"))
        return []
