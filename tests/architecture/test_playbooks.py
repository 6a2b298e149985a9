"""The built-in playbooks load without a problem, and each names scenarios that pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from recovery.load import BUILT_IN, load_playbooks
from recovery.model import Mode
from recovery.registry import discover
from watchdog.model.symptom import KNOWN
from watchdog.simulation.expectations import describe
from watchdog.simulation.run import simulate

LOADED = load_playbooks((), discover(), symptoms=KNOWN)
SCENARIOS = sorted({(BUILT_IN / test).resolve() for book in LOADED.books.values() for test in book.tests})


def test_all_of_them_load_without_a_problem() -> None:
    assert LOADED.problems == ()
    assert {f"{name}.yaml" for name in LOADED.books} == {path.name for path in BUILT_IN.glob("*.yaml")}


@pytest.mark.parametrize("name", LOADED.books)
def test_each_has_a_summary_a_proof_and_scenarios(name: str) -> None:
    book = LOADED.books[name]
    assert book.summary.endswith(".")
    assert book.verify.healthy >= 1
    assert book.tests
    assert book.mode is Mode.AUTO


def test_no_scenario_belongs_to_nobody() -> None:
    assert set(SCENARIOS) == set((BUILT_IN / "tests").resolve().glob("*.yaml"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_its_scenario_passes(path: Path) -> None:
    report = simulate(path)
    assert report.passed, "\n".join([*report.failures, "", *map(describe, report.timeline)])


def test_two_runs_of_a_scenario_print_the_same() -> None:
    assert simulate(SCENARIOS[0]).as_json() == simulate(SCENARIOS[0]).as_json()
