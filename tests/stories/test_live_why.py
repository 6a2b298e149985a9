"""`why` explains on one screen, for each step of a decision, why something was or was not done. One town, each ill in its way."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from time import sleep as pause

import pytest

from tests.stories.harness import Town, town

pytestmark = [pytest.mark.live, pytest.mark.timeout(120)]

SCREEN = 30
"""Lines."""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    with town(tmp_path_factory.mktemp("why") / "town") as made:
        made.guards |= {"storm": {"share": "100%", "at_least": 500, "or": 500}, "concurrent": 1, "cooldown": "1m"}
        for name in ("held", "first", "second", "reasoned", "again", "grace"):
            made.bot(name, "stubborn")
        made.bot("db")
        made.bot("backend", needs="db")
        made.services["grace"]["startup_grace"] = "60s"
        away = own_address()
        if away:
            made.more["connectivity"] = {"targets": ["127.0.0.1:9"]}
            made.services["away"] = {"probe": {"http": f"http://{away}:9/health"}}
        made.start(ready=False)
        made.until(lambda: made.ok("held", "first", "second", "reasoned", "again", "grace", "db", "backend"), 30, "they are well")
        made.until(lambda: made.count("SELECT count(*) FROM runs WHERE ended_at IS NULL") == 0, 20, "no run")
        made.ctl("hold", "held", "--for", "10m", "--reason", "I look at it myself")
        for name in ("db", "grace"):
            made.ctl("hold", name, "--for", "10m")
        made.mood("reasoned", "critical reason=quota for ever")
        for name in ("held", "db", "grace"):
            made.mood(name, "hang for ever")
        made.mood("again", "hang")
        made.until(lambda: made.healed("again"), 30, "it is healed")
        made.ctl("hold", "grace", "--end")
        made.mood("again", "hang")
        for name in ("first", "second"):
            made.mood(name, "hang")
        made.until(lambda: made.healed("first") and made.healed("second"), 60, "both are healed, one after the other")
        pause(4)
        yield made


def own_address() -> str:
    """An address of this machine that is not loopback; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            any_socket.connect(("192.0.2.1", 9))
            address = str(any_socket.getsockname()[0])
        except OSError:
            return ""
    return "" if address.startswith("127.") else address


def told(here: Town, name: str, step: str, verdict: str) -> list[str]:
    """The reasons of that step and verdict, checked to be on one screen for people too."""
    screen = here.text("why", name)
    assert len(screen.splitlines()) <= SCREEN, screen
    answers = here.ctl("why", name)
    return [each["reason"] for each in answers if (each["step"], each["verdict"]) == (step, verdict)]


def test_host_our_own_network_is_down(here: Town) -> None:
    if "away" not in here.services:
        pytest.skip("this machine has no address beside loopback")
    (service,) = [each for each in here.ctl("status")["services"] if each["name"] == "away"]
    assert service["state"] == "unknown"
    assert any("network" in reason for reason in told(here, "host", "host", "wait"))


def test_operator_a_hold(here: Town) -> None:
    reasons = told(here, "held", "operator", "wait")
    assert reasons
    assert all("on hold" in reason and "I look at it myself" in reason for reason in reasons)
    assert "I look at it myself" in here.text("why", "held")
    assert len(here.starts("held")) == 1


def test_root_a_dependency(here: Town) -> None:
    assert any("blocked by db" in reason for reason in told(here, "backend", "root", "wait"))
    assert len(here.starts("backend")) == 1


def test_grace_after_a_hold_has_ended(here: Town) -> None:
    assert any("grace" in reason for reason in told(here, "grace", "grace", "wait"))
    assert len(here.starts("grace")) == 1


def test_budget_one_at_a_time(here: Town) -> None:
    waits = told(here, "first", "budget", "wait") + told(here, "second", "budget", "wait")
    assert any("at a time" in reason for reason in waits)
    assert len(here.starts("first")) == len(here.starts("second")) == 2


def test_budget_a_cooldown(here: Town) -> None:
    assert any("cooldown of restart-unresponsive" in reason for reason in told(here, "again", "budget", "wait"))
    assert len(here.starts("again")) == 2


def test_playbook_none_for_this_reason_is_a_person(here: Town) -> None:
    reasons = told(here, "reasoned", "playbook", "escalate")
    assert reasons
    assert "quota" in reasons[-1]
    assert here.incidents("reasoned")[-1]["stage"] == "waiting_for_person"
    assert len(here.starts("reasoned")) == 1


def test_playbook_the_one_that_was_run(here: Town) -> None:
    assert told(here, "first", "playbook", "heal")
    assert "heal with restart-unresponsive" in here.text("why", "first")


def test_operator_an_acknowledged_incident(here: Town) -> None:
    here.ctl("ack", str(here.incidents("again")[-1]["id"]))
    here.until(lambda: any("acknowledged" in each for each in here.decisions("again")), 5, "it is told")
    assert any("acknowledged" in reason for reason in told(here, "again", "operator", "wait"))


def test_grace_the_daemon_settles(here: Town) -> None:
    here.kill()
    here.guards["settle"] = "8s"
    here.write()
    here.mood("first", "hang")
    here.start(ready=False)
    here.until(lambda: any("settling" in each for each in here.decisions("first")), 20, "it is told")
    assert any("settling" in reason for reason in told(here, "first", "grace", "wait"))


def test_the_outside_checker_finds_nothing(here: Town) -> None:
    assert here.breaches() == []
