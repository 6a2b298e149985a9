"""Writes the manuals of the actions into docs/playbooks.md, from their own docstrings and parameters.

`python scripts/manuals.py` writes; with `--check` it only looks, and exits 1 when the file is not up to date.
"""

from __future__ import annotations

import sys
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from recovery.params import describe
from recovery.registry import ActionSpec, discover, key_of
from recovery.units import DURATION_PATTERN, compact_duration

DOC = Path(__file__).resolve().parent.parent / "docs" / "playbooks.md"
BEGIN = "<!-- manuals: written by scripts/manuals.py -->"
END = "<!-- end of manuals -->"

WORDS = {"string": "text", "boolean": "true or false", "integer": "whole number", "number": "number"}


def written(text: str) -> str:
    """The document with the manuals of today between its two marks. Raises ValueError without them."""
    head, _, rest = text.partition(BEGIN)
    _, mark, tail = rest.partition(END)
    if not mark:
        raise ValueError(f"no '{BEGIN}' with '{END}' behind it")
    manuals = "\n".join(manual(spec) for spec in discover().values())
    return f"{head}{BEGIN}\n\n{manuals}\n{END}{tail}"


def manual(spec: ActionSpec) -> str:
    """One action as a section: what it does, its effect, its parameters."""
    again = "may be begun again after a crash" if spec.idempotent else "is never begun twice"
    declared = ", or what its `effect` says" if "effect" in spec.hints else ""
    lines = [f"### {spec.name}", "", *_shown(spec.manual), "", f"Effect: {spec.effect.value}{declared}. It {again}."]
    params = fields(spec.params)
    if params:
        lines += ["", "| parameter | value | default |", "| --- | --- | --- |"]
        lines += [f"| `{key_of(field)}` | {_value(describe(spec.hints[field.name]))} | {_default(field)} |" for field in params]
        lines += ["", " ".join((spec.params.__doc__ or "").split())]
    return "\n".join([*lines, ""])


def _shown(manual: str) -> list[str]:
    """The docstring; an example that is not indented would be a list, so it is."""
    lines, example = [], False
    for line in manual.splitlines():
        example = bool(line.strip()) and (example or line.startswith("- "))
        lines.append(f"    {line}" if example else line)
    return lines


def _value(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return _value(schema["anyOf"][0])
    if "enum" in schema:
        return ", ".join(schema["enum"])
    return "duration" if schema.get("pattern") == DURATION_PATTERN else WORDS[schema["type"]]


def _default(field: Field[Any]) -> str:
    match field.default:
        case None:
            return "none"
        case bool() as flag:
            return f"`{str(flag).lower()}`"
        case float() as seconds:
            return f"`{compact_duration(seconds)}`"
        case value:
            return "required" if value is MISSING else f"`{value}`"


def main(arguments: list[str]) -> int:
    text = DOC.read_text()
    if written(text) == text:
        return 0
    if "--check" in arguments:
        print(f"{DOC.name} is not up to date; run: python scripts/manuals.py", file=sys.stderr)
        return 1
    DOC.write_text(written(text))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
