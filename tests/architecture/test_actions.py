"""Every file of `recovery/actions` keeps the contract of an action, has its manual and its mirrored test."""

from __future__ import annotations

import ast
import dataclasses
from pathlib import Path

import pytest

from recovery.model import Effect
from recovery.registry import discover

ROOM = Path("recovery/actions")
FILES = sorted(path for path in ROOM.glob("*.py") if path.stem != "__init__")
ALLOWED = ("recovery.errors", "recovery.model", "recovery.params", "recovery.ports", "recovery.units")

each = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


@each
def test_it_is_found_by_its_file_name_and_keeps_the_contract(path: Path) -> None:
    spec = discover()[path.stem]
    assert isinstance(spec.effect, Effect)
    assert isinstance(spec.idempotent, bool)
    assert dataclasses.is_dataclass(spec.params)
    assert "__slots__" in vars(spec.params)
    assert spec.params.__doc__


@each
def test_its_docstring_is_a_manual_with_an_example(path: Path) -> None:
    manual = discover()[path.stem].manual
    assert len(manual.splitlines()[0]) > 10
    assert f"- {path.stem}:" in manual


@each
def test_it_sees_ports_only_and_no_other_action(path: Path) -> None:
    imported = {node.module for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom) and node.module}
    assert {name for name in imported if name.startswith(("recovery", "watchdog", "botkit"))} <= set(ALLOWED)


@each
def test_it_has_its_own_tests(path: Path) -> None:
    assert (Path("tests/recovery/actions") / f"test_{path.name}").is_file()


def test_no_file_is_left_out() -> None:
    assert sorted(discover()) == [path.stem for path in FILES]
