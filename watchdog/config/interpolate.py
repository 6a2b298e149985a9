"""`${VAR}` in values, after the YAML was read, so that a variable can never change the structure (SPEC 3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from recovery.problem import Path, Problem, quoted
from watchdog.config.sources import Sources

_DOLLAR = re.compile(r"\$(?:(\$)|\{([^}]*)\}|(\{))")
_BODY = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:(:-|:\?)(.*))?", re.DOTALL)


class Variables:
    """written: what stood in the file at each replaced place, so that errors can show it instead of the variable's content."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.written: dict[Path, tuple[str, str]] = {}
        self.problems: list[Problem] = []

    def fill(self, sources: Sources) -> None:
        """Replace in place: `${VAR}`, `${VAR:-default}`, `${VAR:?message}`, `$$` for a dollar sign. The result is always text."""
        self._walk(sources, sources.value, ())

    def _walk(self, sources: Sources, node: Any, path: Path) -> None:
        for key, value in list(node.items() if isinstance(node, dict) else enumerate(node)):
            if isinstance(value, (dict, list)):
                self._walk(sources, value, (*path, key))
            elif isinstance(value, str) and "$" in value:
                here = (*path, key)
                try:
                    node[key] = replace(value, self._environ)
                except ValueError as error:
                    self.problems.append(sources.problem(here, str(error)))
                    continue
                if node[key] != value:
                    self.written[here] = (value, node[key])


def replace(text: str, environ: Mapping[str, str]) -> str:
    """One text with its variables replaced. Raises ValueError: unknown, required, or not written as a variable."""
    return _DOLLAR.sub(lambda found: _one(found, environ), text)


def _one(found: re.Match[str], environ: Mapping[str, str]) -> str:
    if found[1]:
        return "$"
    body = _BODY.fullmatch(found[2]) if found[2] is not None else None
    if body is None:
        raise ValueError(f"{quoted(found[0])} is no variable, write ${{NAME}}, or $$ for a dollar sign")
    name, operator, rest = body.groups()
    value = environ.get(name)
    if operator == ":-":
        return value or rest
    if operator == ":?":
        if value:
            return value
        raise ValueError(f"variable '{name}': {rest or 'must be set'}")
    if value is None:
        raise ValueError(f"variable '{name}' is not set, set it or write ${{{name}:-default}}")
    return value
