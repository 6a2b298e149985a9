"""The steps of a playbook: one action each, with `id`, `timeout`, `on_failure`, `retry` and `if` (SPEC 6)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from recovery.model import Step
from recovery.params import Seconds
from recovery.problem import Path, did_you_mean, quoted
from recovery.reader import Reader
from recovery.registry import parameters

STEP_ID = r"^[a-z0-9][a-z0-9_-]{0,62}$"
ONLY_IF = r"^[a-z0-9][a-z0-9_-]{0,62}\.(ok|failed|skipped)$"
OPTIONS: Mapping[str, Any] = {"id": str, "timeout": Seconds, "on_failure": str, "retry": int, "if": str}
AFTER_FAILURE = ("abort", "continue")
MOST_STEPS, MOST_RETRIES = 50, 10


def read_steps(reader: Reader, value: object) -> tuple[Step, ...]:
    items = reader.items(value, ("steps",))
    if isinstance(value, list) and not 1 <= len(value) <= MOST_STEPS:
        reader.report(("steps",), f"{len(value)} steps; a playbook has 1 to {MOST_STEPS}", key=True)
    steps: list[Step] = []
    taken: set[str] = set()
    for index, item in enumerate(items[:MOST_STEPS]):
        step = _step(reader, item, ("steps", index), taken)
        if step is not None:
            steps.append(step)
    return tuple(steps)


def _step(reader: Reader, value: object, path: Path, taken: set[str]) -> Step | None:
    holder = reader.pairs(value, path)
    registry = reader.known.registry
    actions = [key for key in holder if key in registry]
    reader.strangers(holder, path, (*registry, *OPTIONS), "action or option")
    options = reader.fields(holder, path, OPTIONS)
    if len(actions) != 1:
        if isinstance(value, dict) and not (set(holder) - {*registry, *OPTIONS}):
            reader.report(path, f"a step has one action, here are {len(actions)}")
        return None
    spec = registry[actions[0]]
    params, problems = parameters(spec, reader.document, (*path, spec.name), holder[spec.name])
    reader.problems += problems
    step_id = _id(reader, options, spec.name, path, taken)
    only_if = _only_if(reader, options, path, taken - {step_id})
    _bounds(reader, options, path)
    if params is None:
        return None
    return Step(
        id=step_id,
        action=spec.name,
        params=params,
        effect=spec.effect_of(params),
        timeout=options.get("timeout"),
        go_on=options.get("on_failure") == "continue",
        retry=options.get("retry", 0),
        only_if=only_if,
        idempotent=spec.idempotent,
    )


def _id(reader: Reader, options: Mapping[str, Any], action: str, path: Path, taken: set[str]) -> str:
    """The written id, else the action's name, numbered from the second one on."""
    step_id = str(options.get("id", ""))
    if "id" not in options:
        number, step_id = 1, action
        while step_id in taken:
            number += 1
            step_id = f"{action}_{number}"
    elif step_id in taken:
        reader.report((*path, "id"), f"{quoted(step_id)} is the id of an earlier step")
    elif not re.match(STEP_ID, step_id):
        reader.report((*path, "id"), f"{quoted(step_id)} is no id: small letters, digits, '-' and '_'")
    taken.add(step_id)
    return step_id


def _only_if(reader: Reader, options: Mapping[str, Any], path: Path, earlier: Collection[str]) -> tuple[str, str] | None:
    text = options.get("if")
    if text is None:
        return None
    if not re.match(ONLY_IF, text):
        reader.report((*path, "if"), f"{quoted(text)}: write the id of an earlier step and .ok, .failed or .skipped")
        return None
    step_id, word = text.split(".")
    if step_id not in earlier:
        reader.report((*path, "if"), f"no earlier step has the id {quoted(step_id)}{did_you_mean(step_id, earlier)}")
    return step_id, word


def _bounds(reader: Reader, options: Mapping[str, Any], path: Path) -> None:
    reader.at_least(options, path, "timeout", 0.001, "must be longer than zero")
    if not 0 <= options.get("retry", 0) <= MOST_RETRIES:
        reader.report((*path, "retry"), f"0 to {MOST_RETRIES}")
    after = options.get("on_failure", "abort")
    if after not in AFTER_FAILURE:
        reader.report((*path, "on_failure"), f"{quoted(after)}: write abort or continue{did_you_mean(after, AFTER_FAILURE)}")
