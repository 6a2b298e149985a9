from __future__ import annotations

from tests.fakes import past
from tests.fakes.installation import Installation
from watchdog.clock import Clock
from watchdog.model.decision import Step


def test_each_step_is_explained_on_one_screen(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    result = here.ctl("why", "ezee-scraper")
    assert result.exit_code == 0
    assert all(f"  {step:<9} ✓  " in result.stdout for step in list(Step)[:-1])
    assert "→ heal with restart-unresponsive" in result.stdout
    assert "budget    →  wait: cooldown of restart-unresponsive until" in result.stdout
    assert "playbook  ·  not asked: budget had the last word" in result.stdout
    assert "1 older answer: watchdogctl why ezee-scraper --all" in result.stdout
    assert "Next: asked again at" in result.stdout
    assert "page at" in result.stdout
    assert len(result.stdout.splitlines()) <= 26


def test_all_shows_older_answers_with_their_steps(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    result = here.ctl("why", "ezee-scraper", "--all")
    assert result.stdout.count("→ wait: on hold by anna: deploy") == 2
    assert "older answer" not in result.stdout


def test_json_is_every_ruling_in_the_words_of_the_contract(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    doc = here.document("why", "ezee-scraper")
    assert {frozenset(entry) for entry in doc} == {frozenset({"at", "step", "verdict", "reason", "playbook"})}
    assert [entry["at"] for entry in doc] == sorted(entry["at"] for entry in doc)
    assert {entry["verdict"] for entry in doc} == {"pass", "heal", "wait"}
    assert all(entry["at"].endswith("Z") for entry in doc)


def test_a_service_about_which_nothing_was_decided_says_so(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    result = here.ctl("why", "postgres")
    assert "Nothing had to be decided about it so far." in result.stdout
    assert "Next: nothing; the usual checks go on." in result.stdout


def test_the_host_may_be_asked_about_too(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    assert here.ctl("why", "host").exit_code == 0


def test_an_unknown_service_is_a_usage_error(here: Installation) -> None:
    assert here.ctl("why", "ezee-scrapper").exit_code == 2
