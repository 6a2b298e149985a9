from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from watchdog.cli.main import cli

GOOD = """\
name: a hung bot is terminated and comes back
config: {services: {scraper: {probe: {http: "http://scraper/health"}, runtime: {process: {start: [scraper]}}}}}
start: "2026-03-02T03:40:00+08:00"
world:
  - {at: 0s, service: scraper, health: {status: ok}}
  - {at: 65s, service: scraper, does: hang}
  - {after: stop_process, service: scraper, health: {status: ok}, delay: 12s}
until: 15m
expect:
  - {incident: scraper, outcome: healed, tier: silent}
  - {effect: restart, service: scraper, count: 1}
"""


def scenario(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_one_scenario_is_told_with_all_that_happened(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["simulate", scenario(tmp_path, "a.yaml", GOOD)])
    assert result.exit_code == 0, result.output
    assert "playbook  scraper: restart-unresponsive (healed" in result.stdout
    assert result.stdout.splitlines()[-1] == "✓ a hung bot is terminated and comes back"


def test_an_expectation_that_fails_is_1_and_said(tmp_path: Path) -> None:
    wrong = GOOD.replace("count: 1", "count: 2")
    result = CliRunner().invoke(cli, ["simulate", scenario(tmp_path, "a.yaml", GOOD), scenario(tmp_path, "b.yaml", wrong)])
    assert result.exit_code == 1
    assert "✗ a hung bot is terminated and comes back" in result.stdout
    assert "1 of 2 passed." in result.stdout


def test_json_is_the_report_of_the_contract(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["simulate", scenario(tmp_path, "a.yaml", GOOD), "-o", "json"])
    doc = json.loads(result.stdout)
    assert set(doc) == {"name", "passed", "failures", "timeline"}
    assert {"at", "kind", "service"} <= set(doc["timeline"][0])


def test_a_file_that_is_no_scenario_has_not_passed(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["simulate", scenario(tmp_path, "a.yaml", "name: x\nworlds: []\n")])
    assert result.exit_code == 1
    assert "a.yaml:2:1" in result.stdout
    assert "✗" in result.stdout


def test_a_broken_playbook_is_left_out_and_told_once_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "mine.yaml").write_text("name: mine\nsummary: x\nsteps: [{restrat: {}}]\nverify: {}\n")
    files = [scenario(tmp_path, "a.yaml", GOOD), scenario(tmp_path, "b.yaml", GOOD)]
    result = CliRunner().invoke(cli, ["simulate", *files, "--playbooks", str(tmp_path / "books")])
    assert "2 of 2 passed." in result.stdout
    assert result.stderr.count("did you mean 'restart'?") == 1
    assert result.exit_code == 1
