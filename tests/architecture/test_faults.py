"""docs/faults.md names every fault of this version, tests that exist, and guards that are still there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

FAULTS = tuple(f"F{number:02d}" for number in (*range(1, 35), 38, 39, 40, *range(42, 47)))

ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in Path("docs/faults.md").read_text().splitlines()
    if re.match(r"\| F\d\d ", line)
]


@cache
def functions(path: str) -> frozenset[str]:
    """Names of all functions of a file, methods included."""
    tree = ast.parse(Path(path).read_text())
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_every_fault_has_its_row() -> None:
    assert [row[0] for row in ROWS] == list(FAULTS)


def test_every_test_that_is_named_exists() -> None:
    named = [test.split("::") for row in ROWS for test in re.findall(r"`(tests/[^`]+)`", row[2])]
    assert len(named) > len(FAULTS)
    assert [f"{path}::{name}" for path, name in named if not Path(path).is_file() or name not in functions(path)] == []


def test_every_fault_has_a_test_in_the_unit_suite_or_says_which_suite_it_is_in() -> None:
    for fault, _, tests, _ in ROWS:
        in_unit = any("(live)" not in test and "(sweep)" not in test for test in tests.split(" · "))
        assert in_unit or fault in ("F01", "F45"), fault


def test_every_guard_that_is_named_exists() -> None:
    named = [guard.split(":") for row in ROWS for guard in re.findall(r"`([\w/]+\.py:\w+)`", row[3])]
    assert len(named) >= len(FAULTS)
    assert [f"{path}:{name}" for path, name in named if not Path(path).is_file() or name not in functions(path)] == []
