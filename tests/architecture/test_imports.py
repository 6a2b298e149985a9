"""The import direction is a test (ARCHITECTURE): every contract of .importlinter is kept."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from tests.fakes.product import PRODUCT, nodes

LAZY = {
    "recovery/adapters/commands.py",
    "recovery/adapters/docker_client.py",
    "watchdog/cli/main.py",
    "watchdog/cli/daemon.py",
    "watchdog/cli/demo.py",
}
"""Files in which an import inside a function is for start-up time, with a word why."""


def test_every_contract_is_kept() -> None:
    """In a process of its own: it sets up logging as it likes."""
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([program], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_only_one_file_imports_pybreaker() -> None:
    found = [str(path) for path in PRODUCT if {"pybreaker"} & imported(path)]
    assert found == ["botkit/breakers.py"]


def test_the_product_never_imports_its_tests_or_its_bench() -> None:
    assert [str(path) for path in PRODUCT if {"tests", "bench", "pytest"} & imported(path)] == []


def test_no_circle_is_hidden_by_an_import_inside_a_function() -> None:
    found = {str(path) for path in PRODUCT if inner(path)}
    assert found <= LAZY, found - LAZY


def imported(path: Path) -> set[str]:
    """Top names of all imports of a file."""
    names: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names


def inner(path: Path) -> list[int]:
    """Lines of imports that stand inside a function."""
    functions = [node for node in nodes(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [node.lineno for function in functions for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom)]
