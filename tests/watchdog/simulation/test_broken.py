"""Playbooks that are refused, and whose scenarios."""

from __future__ import annotations

from pathlib import Path

from recovery.problem import Problem
from watchdog.simulation.broken import broken_playbooks
from watchdog.simulation.run import simulate


def problem(path: Path, text: str) -> Problem:
    return Problem(str(path), None, "", text)


def test_each_file_is_one_with_its_first_problem_and_its_scenarios(tmp_path: Path) -> None:
    mine, torn = tmp_path / "mine.yaml", tmp_path / "torn.yaml"
    mine.write_text("name: my-own\ntests: [tests/a.yaml, 5]\n")
    torn.write_text("name: [")
    found = broken_playbooks([problem(mine, "first"), problem(mine, "second"), problem(torn, "no YAML"), problem(tmp_path, "x")])
    assert [each.name for each in found] == ["my-own", "torn", tmp_path.name]
    assert [each.tests for each in found] == [(tmp_path / "tests" / "a.yaml",), (), ()]
    assert found[0].reason == f"its playbook my-own is refused: {mine}: first"


def test_a_scenario_of_a_broken_playbook_has_failed_for_that_reason(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("name: mine\nsummary: x\nsteps: []\nverify: {}\ntests: [a.txt]\n")
    scenario = tmp_path / "a.txt"
    scenario.write_text(
        "name: well\nconfig: {services: {bot: {probe: {tcp: '127.0.0.1:1'}}}}\nworld: []\nuntil: 1m\nexpect: []\n"
    )
    assert simulate(scenario).passed
    report = simulate(scenario, [tmp_path / "mine.yaml"])
    assert not report.passed
    assert report.failures[0].startswith("its playbook mine is refused: ")
    assert [each.file for each in report.refused] == [str(tmp_path / "mine.yaml")]
