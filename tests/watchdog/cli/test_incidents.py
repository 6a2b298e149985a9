from __future__ import annotations

from dataclasses import replace

from tests.fakes import past
from tests.fakes.daemon import answering
from tests.fakes.desk import FakeDesk
from tests.fakes.installation import Installation
from watchdog.clock import Clock

KEYS = {
    "id", "service", "state", "reason", "symptom", "cause", "blocked_by", "parent", "opened_at", "confirmed_at", "closed_at",
    "duration_s", "outcome", "tier", "blocked", "runs",
}  # fmt: skip


def test_the_newest_is_first_and_neither_blips_nor_members_are_listed(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    doc = here.document("incidents")
    assert [incident["id"] for incident in doc] == [214, 198]
    assert all(set(incident) == KEYS for incident in doc)
    first = doc[0]
    assert (first["state"], first["outcome"], first["tier"], first["blocked"]) == ("healing", None, "silent", ["report-bot"])
    assert 149 < first["duration_s"] < 160
    assert doc[1]["duration_s"] == 144
    assert set(first["runs"][0]) == {"playbook", "started_at", "ended_at", "outcome", "steps"}
    assert first["runs"][0]["steps"][1] == {"action": "stop_process", "outcome": "failed", "detail": "alive after SIGKILL"}


def test_since_leaves_out_what_is_older(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    assert [incident["id"] for incident in here.document("incidents", "--since", "1h")] == [214]


def test_a_time_without_a_unit_is_a_usage_error(here: Installation) -> None:
    result = here.ctl("incidents", "--since", "30")
    assert result.exit_code == 2
    assert "'30' has no unit, write '30h' or '30d'" in result.stderr


def test_check_is_1_while_one_is_open(here: Installation) -> None:
    here.write([past.closed_incident(Clock().now())])
    assert here.ctl("incidents", "--check").exit_code == 0
    here.write([past.open_incident(Clock().now())])
    assert here.ctl("incidents", "--check").exit_code == 1
    assert here.ctl("incidents").exit_code == 0


def test_one_incident_has_its_timeline_and_evidence_beside_it(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    doc = here.document("incident", "214")
    assert set(doc) == KEYS | {"timeline", "evidence"}
    assert [entry["kind"] for entry in doc["timeline"]] == ["opened", "confirmed"]
    assert "ImportError" in doc["evidence"][0]["text"]
    text = here.ctl("incident", "214").stdout
    assert "\x1b" not in text
    assert "✗ stop_process" in text
    assert "watchdogctl ack 214" in text


def test_an_unknown_incident_names_those_there_are(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    result = here.ctl("incident", "99")
    assert result.exit_code == 2
    assert "there is no incident 99; the last 2 ones are 214, 198" in result.stderr
    beyond = here.ctl("incident", "9" * 24)
    assert beyond.exit_code == 2
    assert "is no number" in beyond.stderr


def test_ack_goes_to_the_daemon(here: Installation) -> None:
    with answering(here.socket, FakeDesk({"ack": {"text": "incident 214 acknowledged"}})) as desk:
        result = here.ctl("ack", "214", "--false-alarm")
    assert result.stdout == "incident 214 acknowledged\n"
    assert desk.asked[-1][:2] == ("ack", {"id": 214, "false_alarm": True})


def test_a_relapse_of_its_own_blocks_nobody(here: Installation) -> None:
    now = Clock().now()
    own = replace(past.member(now), id=220, service="ezee-scraper", reason="a relapse of incident 214")
    here.write([*past.story(now), own])
    assert here.document("incidents")[0]["blocked"] == ["report-bot"]
    assert here.document("incident", "214")["blocked"] == ["report-bot"]
    assert "1 blocked" in here.ctl("incidents").stdout
