from __future__ import annotations

import json
import re
from dataclasses import replace

from tests.fakes import past
from tests.fakes.daemon import answering
from tests.fakes.desk import FakeDesk
from tests.fakes.installation import Installation
from watchdog.cli.views.times import iso
from watchdog.clock import Clock
from watchdog.model.decision import Step
from watchdog.model.incident import Incident, Stage, Tier
from watchdog.model.records import Hold, Memory


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
    assert "On hold by anna until" in result.stdout
    assert result.stdout.splitlines()[-1].endswith("the hold ends and fresh counts begin.")


def test_a_stop_is_told_by_whom_and_until_when_without_any_decision(here: Installation) -> None:
    now = Clock().now()
    here.write([*past.segments(now), Hold("report-bot", now - 60, now + 600, "anna", "new disk", stop=True)])
    lines = here.ctl("why", "report-bot").stdout.splitlines()
    assert re.fullmatch(r"Stopped by anna until .*\d\d:\d\d:\d\d: new disk", lines[1])
    assert "Nothing had to be decided" in lines[3]
    assert lines[-1].startswith("Next: at ")
    assert lines[-1].endswith("it is brought up again.")


def test_the_host_may_be_asked_about_too(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    assert here.ctl("why", "host").exit_code == 0
    with answering(here.socket, FakeDesk({"status": {"daemon": {}, "services": []}})):
        assert here.ctl("why", "host").stdout.startswith("host · ok\n"), "no row of its own, and nothing is wrong with it"


def test_an_unknown_service_is_a_usage_error(here: Installation) -> None:
    assert here.ctl("why", "ezee-scrapper").exit_code == 2


def parked(now: float) -> Incident:
    return replace(past.open_incident(now), stage=Stage.PARKED, tier=Tier.CRITICAL, run=None)


def test_the_next_attempt_of_a_parked_service_is_told_by_the_daemon(here: Installation) -> None:
    now = Clock().now()
    here.write([parked(now)])
    entry = {"name": "ezee-scraper", "state": "down", "since": iso(now - 60), "parked": True, "next_at": iso(now + 3120)}
    with answering(here.socket, FakeDesk({"status": {"daemon": {"live": True}, "services": [entry]}})):
        last = here.ctl("why", "ezee-scraper").stdout.splitlines()[-1]
    assert re.fullmatch(r"Next: one attempt at \d\d:\d\d:\d\d \(in 5[12] min.*\), nothing until then\.", last.replace(" Aug", ""))


def test_without_a_daemon_it_is_what_was_remembered(here: Installation) -> None:
    now = Clock().now()
    remembered = json.dumps({"history": {}, "parking": {"since": now, "attempts": 0, "next_at": now - 90}})
    here.write([*past.segments(now), parked(now), Memory("ezee-scraper", remembered), Memory("postgres", "not JSON")])
    assert ", due since " in here.ctl("why", "ezee-scraper").stdout.splitlines()[-1]


def test_the_likely_cause_and_what_was_before_are_told_as_the_page_tells_them(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    entry = {
        "name": "ezee-scraper",
        "state": "failing",
        "likely": ["version 1.4.1 → 1.4.2, 4 min before the first failure (12 days without one before it)"],
        "before": "once in 30 days, restart-unresponsive helped",
    }
    desk = FakeDesk({"status": {"services": [entry]}})
    with answering(here.socket, desk):
        lines = here.ctl("why", "ezee-scraper").stdout.splitlines()
    assert lines[1] == "Likely  version 1.4.1 → 1.4.2, 4 min before the first failure (12 days without one before it)"
    assert lines[2] == "Before  once in 30 days, restart-unresponsive helped"
    assert desk.asked[-1][:2] == ("status", {"service": "ezee-scraper"})
