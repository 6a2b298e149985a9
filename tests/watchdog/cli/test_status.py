from __future__ import annotations

import pytest

from tests.fakes import past
from tests.fakes.daemon import answering
from tests.fakes.desk import FakeDesk
from tests.fakes.installation import Installation
from watchdog.clock import Clock
from watchdog.model.records import Segment
from watchdog.model.service import State

KEYS = {"name", "state", "since", "reason", "latency_ms", "blocked_by", "hold", "parked", "incident"}


def live(**states: str) -> dict[str, object]:
    services = [
        {
            "name": name.replace("_", "-"),
            "state": state,
            "since": "2026-08-16T00:00:00Z",
            "reason": "",
            "latency_ms": 1.2,
            "blocked_by": None,
            "hold": None,
            "parked": False,
            "incident": None,
            "stage": None,
            "now": "",
        }
        for name, state in states.items()
    ]
    config = {"loaded_at": "2026-08-16T00:00:00Z", "errors": []}
    daemon = {
        "pid": 7,
        "mode": "heal",
        "started_at": "2026-08-16T00:00:00Z",
        "config": config,
        "live": True,
        "last_page_at": None,
    }
    return {"daemon": daemon, "services": services}


def test_the_daemon_is_asked_and_its_answer_drawn(here: Installation) -> None:
    with answering(here.socket, FakeDesk({"status": live(postgres="ok", ezee_scraper="failing")})):
        result = here.ctl("status")
    assert result.exit_code == 0
    assert result.stdout.startswith("bot-watchdog · healing · 1 ok, 1 failing · up ")
    assert "● postgres      ok" in result.stdout


def test_json_has_the_names_of_the_contract_and_no_more(here: Installation) -> None:
    with answering(here.socket, FakeDesk({"status": live(postgres="ok")})):
        doc = here.document("status")
    assert set(doc) == {"daemon", "services"}
    assert set(doc["daemon"]) == {"pid", "mode", "started_at", "config"}
    assert set(doc["daemon"]["config"]) == {"loaded_at", "errors"}
    assert set(doc["services"][0]) == KEYS


def test_without_a_daemon_the_store_is_read_and_that_is_said(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    result = here.ctl("status")
    assert result.exit_code == 0
    assert "bot-watchdog · not running (last seen " in result.stdout
    assert "ezee-scraper  failing   2 min" in result.stdout
    assert "blocked by ezee-scraper" in result.stdout
    assert "on hold until" in result.stdout
    doc = here.document("status")
    assert doc["daemon"]["pid"] is None
    assert {s["name"]: s["state"] for s in doc["services"]} == {
        "postgres": "ok",
        "ezee-scraper": "failing",
        "report-bot": "critical",
    }
    assert all(set(service) == KEYS for service in doc["services"])


def test_neither_daemon_nor_store_is_3(here: Installation) -> None:
    result = here.ctl("status")
    assert result.exit_code == 3
    assert "no daemon runs here" in result.stderr
    assert "nothing was written down yet" in result.stderr


@pytest.mark.parametrize(("state", "code"), [("ok", 0), ("starting", 0), ("stopped", 0), ("failing", 1), ("unknown", 1)])
def test_check_is_1_only_when_something_is_wrong(here: Installation, state: str, code: int) -> None:
    with answering(here.socket, FakeDesk({"status": live(postgres=state)})):
        assert here.ctl("status", "--check").exit_code == code
        assert here.ctl("status").exit_code == 0


def test_check_is_1_for_a_configuration_that_was_refused(here: Installation) -> None:
    doc = live(postgres="ok")
    doc["daemon"]["config"]["errors"] = ["watchdog.yaml:1:1: nonsense"]  # type: ignore[index]
    with answering(here.socket, FakeDesk({"status": doc})):
        result = here.ctl("status", "--check")
    assert result.exit_code == 1
    assert "Configuration: 1 error in the file" in result.stdout


def test_check_is_1_while_alerts_do_not_arrive(here: Installation) -> None:
    doc = live(postgres="ok")
    doc["daemon"]["alerts"] = {"closed": [{"to": "telegram:1", "why": "403 Forbidden: bot was blocked"}]}  # type: ignore[index]
    with answering(here.socket, FakeDesk({"status": doc})):
        result = here.ctl("status", "--check")
    assert result.exit_code == 1
    assert "Alerts do not reach telegram:1" in result.stdout


def test_check_is_1_for_a_playbook_that_was_refused(here: Installation) -> None:
    doc = live(postgres="ok")
    doc["daemon"]["playbooks"] = ["mine.yaml:6:5: nonsense"]  # type: ignore[index]
    with answering(here.socket, FakeDesk({"status": doc})):
        assert here.ctl("status", "--check").exit_code == 1


def test_check_is_3_when_only_the_store_answers(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    assert here.ctl("status", "--check").exit_code == 3


def test_one_service_is_shown_with_what_happened_lately(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    result = here.ctl("status", "ezee-scraper")
    assert result.exit_code == 0
    assert "● ezee-scraper · eZee Scraper · failing for 2 min 30 s" in result.stdout
    assert "214 · healing" in result.stdout
    assert "198 · unresponsive, healed after 2 min 24 s" in result.stdout
    assert "not running; this is what it last wrote down" in result.stdout


def test_an_unknown_service_is_2_with_a_suggestion(here: Installation) -> None:
    result = here.ctl("status", "postgre")
    assert result.exit_code == 2
    assert "there is no service 'postgre', did you mean 'postgres'?" in result.stderr


def test_with_discovery_a_name_that_nobody_ever_saw_is_2_all_the_same(here: Installation) -> None:
    """Labels name services that no file does, so the file alone cannot tell."""
    here.config.write_text(here.config.read_text() + "discovery: docker\n")
    now = Clock().now()
    here.write([Segment("news-bot", State.OK, now - 60, None, "")])
    assert "● news-bot" in here.ctl("status").stdout, "from the store"
    with answering(here.socket, FakeDesk({"status": live(postgres="ok", **{"news-bot": "ok"})})):
        for verb in ("status", "why", "history"):
            assert here.ctl(verb, "news-bot").exit_code == 0
            result = here.ctl(verb, "nwes-bot")
            assert result.exit_code == 2
            assert "there is no service 'nwes-bot', did you mean 'news-bot'?" in result.stderr


def test_a_broken_configuration_does_not_blind_the_reader(here: Installation) -> None:
    here.config.write_text(here.config.read_text() + "  x: {probe: 5}\nnonsense: 1\n")
    here.write(past.story(Clock().now()))
    with answering(here.socket, FakeDesk({"status": live(postgres="ok")})):
        result = here.ctl("status")
    assert result.exit_code == 0
    assert "● postgres" in result.stdout
    assert "errors in it (watchdogctl check)" in result.stderr


def test_an_unreadable_store_is_told(here: Installation) -> None:
    (here.folder / "state" / "state.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 4000)
    result = here.ctl("incidents")
    assert result.exit_code == 1
    assert "cannot be read" in result.stderr
