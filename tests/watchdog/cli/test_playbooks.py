from __future__ import annotations

import json

from tests.fakes.installation import Installation

MINE = """\
name: mine
summary: One of ours.
when: {symptom: unresponsive}
services: {names: [ezee-scraper]}
steps:
  - restart: {}
verify: {healthy: 2}
"""


def test_the_built_in_ones_and_ours_are_listed(here: Installation) -> None:
    (here.folder / "playbooks").mkdir()
    (here.folder / "playbooks" / "mine.yaml").write_text(MINE)
    result = here.ctl("playbooks", "list")
    assert result.exit_code == 0
    assert "restart-unresponsive" in result.stdout
    assert "One of ours." in result.stdout
    assert {"mine", "start-exited"} <= {book["name"] for book in here.document("playbooks", "list")}


def test_one_is_shown_as_it_is_written(here: Installation) -> None:
    result = here.ctl("playbooks", "show", "start-exited")
    assert "name: start-exited" in result.stdout
    assert here.document("playbooks", "show", "start-exited")["source"].startswith("name: start-exited")


def test_an_unknown_one_is_2_with_a_suggestion(here: Installation) -> None:
    result = here.ctl("playbooks", "show", "start-exitd")
    assert result.exit_code == 2
    assert "did you mean 'start-exited'?" in result.stderr


def test_its_scenarios_are_run(here: Installation) -> None:
    result = here.ctl("playbooks", "test", "start-exited")
    assert result.exit_code == 0, result.output
    assert "✓ start-exited: " in result.stdout
    docs = json.loads(here.ctl("playbooks", "test", "start-exited", "-o", "json").stdout)
    assert {doc["playbook"] for doc in docs} == {"start-exited"}
    assert all(doc["passed"] for doc in docs)


def test_a_broken_one_is_told_and_the_others_are_listed_all_the_same(here: Installation) -> None:
    (here.folder / "playbooks").mkdir()
    (here.folder / "playbooks" / "mine.yaml").write_text(MINE.replace("restart: {}", "restrat: {}"))
    result = here.ctl("playbooks", "list")
    assert result.exit_code == 1
    assert "mine.yaml:6:" in result.stderr
    assert "did you mean 'restart'?" in result.stderr
    assert "start-exited" in result.stdout


def test_a_refused_one_is_not_called_unknown(here: Installation) -> None:
    (here.folder / "playbooks").mkdir()
    (here.folder / "playbooks" / "mine.yaml").write_text(MINE.replace("restart: {}", "restrat: {}"))
    result = here.ctl("playbooks", "show", "mine")
    assert result.exit_code == 1
    assert "mine is refused, and not used:" in result.stderr
    assert "did you mean 'restart'?" in result.stderr
    assert "there is no playbook" not in result.stderr


def test_without_a_configuration_the_built_in_ones_are_meant(here: Installation, monkeypatch: object) -> None:
    here.config.unlink()
    result = here.ctl("playbooks", "test", "start-exited")
    assert result.exit_code == 1
    assert "watchdog.yaml" in result.stderr


def test_a_broken_one_fails_its_own_scenario_and_no_other(here: Installation) -> None:
    (here.folder / "playbooks" / "tests").mkdir(parents=True)
    (here.folder / "playbooks" / "tests" / "mine.yaml").write_text("name: x\n")
    text = MINE.replace("restart: {}", "restrat: {}") + "tests: [tests/mine.yaml]\n"
    (here.folder / "playbooks" / "mine.yaml").write_text(text)
    result = here.ctl("playbooks", "test", "start-exited", "mine")
    assert result.exit_code == 1
    assert "✓ start-exited: " in result.stdout
    assert "✗ mine: mine.yaml" in result.stdout
    assert "its playbook mine is refused: " in " ".join(result.stdout.split())
    assert result.stderr.count("did you mean 'restart'?") == 1
    good = here.ctl("playbooks", "test", "start-exited")
    assert (good.exit_code, "✗" in good.stdout) == (1, False), "told at the end, and no scenario of its own was asked for"
