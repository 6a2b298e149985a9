"""Files and functions stay small, and no module is a drawer (ARCHITECTURE, habits)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

FILE, FUNCTION = 300, 60
"""Lines at most."""

DRAWERS = frozenset({"utils", "util", "helpers", "helper", "common", "manager", "managers", "misc", "tools", "base", "core"})

FILES = [path for root in ("watchdog", "recovery", "botkit", "bench", "scripts") for path in sorted(Path(root).rglob("*.py"))]

each = pytest.mark.parametrize("path", FILES, ids=str)


@each
def test_a_file_fits_into_one_look(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= FILE


@each
def test_a_function_fits_on_one_screen(path: Path) -> None:
    long = [
        f"{node.name}: {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None
        if node.end_lineno - node.lineno >= FUNCTION
    ]
    assert long == []


@each
def test_it_is_named_by_its_job(path: Path) -> None:
    assert path.stem not in DRAWERS
    assert not DRAWERS & set(path.parts)


@each
def test_nothing_is_left_to_be_done(path: Path) -> None:
    text = path.read_text()
    for word in ("TODO", "FIXME", "XXX", "NotImplementedError"):
        assert word not in text
