"""Files and functions stay small, and no module is a drawer (ARCHITECTURE, habits)."""

from __future__ import annotations

import ast
from pathlib import Path

FILE, FUNCTION = 300, 60
"""Lines at most."""

DRAWERS = frozenset({"utils", "util", "helpers", "helper", "common", "manager", "managers", "misc", "tools", "base", "core"})

FILES = [path for root in ("watchdog", "recovery", "botkit", "bench", "scripts") for path in sorted(Path(root).rglob("*.py"))]
TEXTS = {path: path.read_text() for path in FILES}


def test_a_file_fits_into_one_look() -> None:
    assert [str(path) for path, text in TEXTS.items() if len(text.splitlines()) > FILE] == []


def test_a_function_fits_on_one_screen() -> None:
    long = [
        f"{path}: {node.name} has {node.end_lineno - node.lineno + 1} lines"
        for path, text in TEXTS.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None
        if node.end_lineno - node.lineno >= FUNCTION
    ]
    assert long == []


def test_every_module_is_named_by_its_job() -> None:
    assert [str(path) for path in FILES if DRAWERS & {path.stem, *path.parts}] == []


def test_nothing_is_left_to_be_done() -> None:
    words = ("TODO", "FIXME", "XXX", "NotImplementedError")
    assert [f"{path}: {word}" for path, text in TEXTS.items() for word in words if word in text] == []
