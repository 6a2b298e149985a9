"""The JSON Schema of a playbook, for editors: written from the registry and the language, so it cannot drift from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from recovery.language import CONDITION, LIMITS, NAME, RUNTIMES, TOP, VERIFY
from recovery.language_steps import AFTER_FAILURE, MOST_RETRIES, MOST_STEPS, ONLY_IF, OPTIONS, STEP_ID
from recovery.params import describe
from recovery.registry import ActionSpec, Registry, key_of


def schema(registry: Registry) -> dict[str, Any]:
    """Draft 2020-12. What only the loader can know (symptoms, rungs, files of tests) is text here."""
    condition = _object({key: describe(hint) for key, hint in CONDITION.items()}, least=1)
    condition["properties"]["code"] = {"type": ["string", "integer"]}
    groups = [_object({word: {"type": "array", "items": condition, "minItems": 1}}, required=[word]) for word in ("any", "all")]
    texts = {"type": "array", "items": {"type": "string", "minLength": 1}}
    top = {key: describe(hint) for key, hint in TOP.items()}
    top["name"] = {"type": "string", "pattern": NAME, "not": {"enum": ["again", "escalate"]}}
    top["summary"] = {"type": "string", "minLength": 1}
    top["otherwise"] = {"type": "string", "description": "again (default), escalate, or the playbook that is the next rung"}
    sections = {
        "when": {"anyOf": [condition, *groups], "description": "left out: only a rung of others, or run by a person"},
        "services": _object(
            {
                "names": texts,
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "runtime": {"type": "array", "items": {"enum": list(RUNTIMES)}},
            }
        ),
        "limits": _object(_with_least(LIMITS, "concurrent")),
        "steps": {
            "type": "array",
            "minItems": 1,
            "maxItems": MOST_STEPS,
            "items": {"anyOf": [_step(spec) for spec in registry.values()]},
        },
        "verify": _object(_with_least(VERIFY, "healthy")),
        "tests": texts,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "bot-watchdog playbook",
        **_object(top | sections, required=["name", "summary", "steps", "verify"]),
    }


def _step(spec: ActionSpec) -> dict[str, Any]:
    """One action with its parameters, beside the options of every step."""
    options = {key: describe(hint) for key, hint in OPTIONS.items()}
    options["id"]["pattern"] = STEP_ID
    options["if"]["pattern"] = ONLY_IF
    options["retry"] |= {"minimum": 0, "maximum": MOST_RETRIES}
    options["on_failure"] = {"enum": list(AFTER_FAILURE)}
    params = _object(
        {key_of(field): describe(spec.hints[field.name]) for field in fields(spec.params)},
        required=[key_of(f) for f in fields(spec.params) if f.default is MISSING and f.default_factory is MISSING],
    )
    action = params if "required" in params else {"anyOf": [params, {"type": "null"}]}
    return _object({spec.name: {**action, "description": spec.manual}, **options}, required=[spec.name])


def _with_least(hints: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = {name: describe(hint) for name, hint in hints.items()}
    found[key]["minimum"] = 1
    return found


def _object(properties: dict[str, Any], *, required: list[str] | None = None, least: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "object", "additionalProperties": False, "properties": properties}
    if required:
        found["required"] = required
    if least:
        found["minProperties"] = least
    return found
