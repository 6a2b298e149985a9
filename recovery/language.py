"""The language of playbooks (SPEC 6): one YAML document in, one typed Playbook out, or every problem with its place."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from recovery.language_steps import read_steps
from recovery.model import Condition, Mode, Playbook, Selector, Verify, When
from recovery.params import Seconds
from recovery.problem import Path, Problem, did_you_mean, quoted
from recovery.reader import Known, Reader
from recovery.yaml import Document

NAME = r"^[a-z0-9][a-z0-9_.-]{0,62}$"

TOP: Mapping[str, Any] = {"name": str, "summary": str, "mode": Mode, "routine": bool, "otherwise": str, "priority": int}
SECTIONS = ("when", "services", "limits", "steps", "verify", "tests")
LIMITS: Mapping[str, Any] = {"concurrent": int, "cooldown": Seconds}
VERIFY: Mapping[str, Any] = {"healthy": int, "after": Seconds, "every": Seconds, "within": Seconds}
CONDITION: Mapping[str, Any] = {"symptom": str, "reason": str, "code": str}
LATER = frozenset({"api", "error", "log", "metric", "count", "within", "above", "below", "for"})

ENDS = ("again", "escalate")
"""What `otherwise` may say beside the name of a playbook."""

RUNTIMES = ("process", "docker")
"""What `services.runtime` may name in this version."""

LATER_RUNTIMES = frozenset({"systemd", "supervisor", "pool"})
"""Runtimes of SPEC 6 that this version does not have."""

REQUIRED = {
    "name": "runs and rungs are told by it",
    "summary": "people read it",
    "steps": "a playbook without steps does nothing",
    "verify": "only its proof closes an incident as healed",
}

NEVER = When((), every=False)
"""No `when`: the playbook is a rung of others, or for a person's `recover`; nothing chooses it by itself."""


def parse(document: Document, known: Known) -> tuple[Playbook | None, tuple[Problem, ...]]:
    """The playbook, or None and why. Unknown rungs, circles and duplicate names are a matter of the whole set (`load`)."""
    reader = Reader(document, known)
    top = document.value
    reader.strangers(top, (), (*TOP, *SECTIONS), "key")
    values = reader.fields(top, (), TOP)
    _names(reader, top, values)
    when = _when(reader, top["when"]) if "when" in top else NEVER
    services = _services(reader, top["services"]) if "services" in top else Selector()
    limits = _limits(reader, top["limits"]) if "limits" in top else {}
    steps = read_steps(reader, top["steps"]) if "steps" in top else ()
    verify = _verify(reader, top["verify"]) if "verify" in top else Verify()
    tests = reader.texts(top["tests"], ("tests",)) if "tests" in top else ()
    if reader.problems:
        return None, tuple(sorted(reader.problems, key=lambda problem: problem.order))
    source = document.text
    digest = hashlib.sha256(source.encode()).hexdigest()
    parts: dict[str, Any] = {"when": when, "steps": steps, "verify": verify, "services": services, "tests": tests}
    return Playbook(**parts, **limits, **values, path=document.name, digest=digest, source=source), ()


def _names(reader: Reader, top: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    for key, why in REQUIRED.items():
        if key not in top:
            reader.report((), f"'{key}' is missing: {why}")
    name = values.get("name")
    if name is not None and not re.match(NAME, name):
        reader.report(("name",), f"{quoted(name)} is no name: small letters, digits, '-', '_' and '.', 63 at most")
    if name in ENDS:
        reader.report(("name",), f"{quoted(name)} is a word of 'otherwise', choose another name")
    if "summary" in values and not values["summary"].strip():
        reader.report(("summary",), "says nothing")


def _when(reader: Reader, value: object) -> When:
    holder = reader.pairs(value, ("when",))
    if isinstance(value, dict) and not value:
        reader.report(("when",), "is empty; leave it out for a rung that others name", key=True)
    groups = [key for key in ("any", "all") if key in holder]
    if not groups:
        return When((_condition(reader, holder, ("when",)),))
    group = groups[0]
    for key in holder:
        if key != group:
            reader.report(("when", key), f"cannot stand beside '{group}'", key=True)
    items = reader.items(holder[group], ("when", group))
    if not items:
        reader.report(("when", group), "is empty", key=True)
    return When(tuple(_condition(reader, item, ("when", group, n)) for n, item in enumerate(items)), every=group == "all")


def _condition(reader: Reader, value: object, path: Path) -> Condition:
    holder = reader.pairs(value, path)
    for key in holder:
        if key in LATER:
            reader.report((*path, key), f"'{key}' is not available in this version", key=True)
    reader.strangers({key: each for key, each in holder.items() if key not in LATER}, path, CONDITION, "condition")
    if isinstance(value, dict) and not value and path != ("when",):
        reader.report(path, "is empty, it would match everything")
    code = holder.get("code")
    numeric = {**holder, "code": str(code)} if isinstance(code, int) and not isinstance(code, bool) else holder
    values = reader.fields(numeric, path, CONDITION)
    symptom, symptoms = values.get("symptom"), reader.known.symptoms
    if symptom is not None and symptoms is not None and symptom not in symptoms:
        reader.report((*path, "symptom"), f"unknown symptom {quoted(symptom)}{did_you_mean(symptom, symptoms)}")
    return Condition(**values)


def _services(reader: Reader, value: object) -> Selector:
    path: Path = ("services",)
    holder = reader.pairs(value, path)
    reader.strangers(holder, path, ("names", "labels", "runtime"), "key")
    names = reader.texts(holder["names"], (*path, "names")) if "names" in holder else ()
    runtime = reader.texts(holder["runtime"], (*path, "runtime")) if "runtime" in holder else ()
    for index, kind in enumerate(runtime):
        if reader.known.runtimes is not None and kind not in reader.known.runtimes:
            later, guess = kind in LATER_RUNTIMES, did_you_mean(kind, reader.known.runtimes)
            text = f"{quoted(kind)} is not available in this version" if later else f"unknown runtime {quoted(kind)}{guess}"
            reader.report((*path, "runtime", index), text)
    labels = reader.pairs(holder.get("labels", {}), (*path, "labels"))
    found = reader.fields(labels, (*path, "labels"), dict.fromkeys(labels, str))
    return Selector(names, found, runtime)


def _limits(reader: Reader, value: object) -> dict[str, Any]:
    holder = reader.pairs(value, ("limits",))
    reader.strangers(holder, ("limits",), LIMITS, "limit")
    values = reader.fields(holder, ("limits",), LIMITS)
    reader.at_least(values, ("limits",), "concurrent", 1, "at least 1")
    return values


def _verify(reader: Reader, value: object) -> Verify:
    path: Path = ("verify",)
    holder = reader.pairs(value, path)
    reader.strangers(holder, path, VERIFY, "key")
    values = reader.fields(holder, path, VERIFY)
    reader.at_least(values, path, "healthy", 1, "at least 1 good answer")
    reader.at_least(values, path, "every", 0.001, "must be longer than zero")
    reader.at_least(values, path, "within", 0.001, "must be longer than zero")
    return Verify(**values)
