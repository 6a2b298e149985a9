"""What a package says of itself, and whose `watchdog` this is: PyPI has another one."""

from __future__ import annotations

import ast
from importlib import metadata
from pathlib import Path

import pytest

import botkit
import recovery
import watchdog

ROOT = Path(__file__).resolve().parents[2]
INITS = sorted(path for root in ("watchdog", "recovery", "botkit") for path in (ROOT / root).rglob("__init__.py"))


@pytest.mark.parametrize("package", [watchdog, recovery, botkit], ids=lambda package: package.__name__)
def test_the_package_is_ours(package: object) -> None:
    file = getattr(package, "__file__", None)
    assert file is not None
    assert Path(file).resolve().parent.parent == ROOT


def test_the_other_watchdog_of_pypi_is_not_installed() -> None:
    with pytest.raises(metadata.PackageNotFoundError):
        metadata.version("watchdog")
    assert metadata.version("bot-watchdog")


@pytest.mark.parametrize("path", INITS, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_a_package_holds_its_duty_in_words_and_nothing_else(path: Path) -> None:
    body = ast.parse(path.read_text()).body
    assert len(body) == 1
    assert ast.get_docstring(ast.parse(path.read_text()))


def test_every_room_is_a_package() -> None:
    rooms = {path.parent for root in ("watchdog", "recovery", "botkit") for path in (ROOT / root).rglob("*.py")}
    assert {room for room in rooms if not (room / "__init__.py").is_file()} == set()
