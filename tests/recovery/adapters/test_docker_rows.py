"""What is taken from Docker's answers, and what is left behind."""

from __future__ import annotations

from typing import Any

import pytest

from recovery.adapters.docker_rows import Inspected, Listed, event, wall_seconds
from recovery.errors import EngineAway


def listed(**fields: Any) -> Listed | None:
    return Listed.read({"Id": "ab", "Names": ["/scraper"], "State": "running", "Status": "Up 2 hours", **fields})


def inspected(**state: Any) -> dict[str, Any]:
    alive = {"Status": "running", "StartedAt": "2026-08-16T06:30:00.123456789Z", "Pid": 17, "ExitCode": 0}
    return {
        "Id": "ab",
        "Name": "/scraper",
        "State": {**alive, **state},
        "Config": {"Image": "bot:1", "Env": ["TOKEN=canary"], "Cmd": ["canary"], "Labels": {"x": "canary"}},
        "HostConfig": {"RestartPolicy": {"Name": "always"}, "Memory": 1 << 29},
        "RestartCount": 3,
    }


@pytest.mark.parametrize(
    ("status", "health"),
    [
        ("Up 2 hours", None),
        ("Up 2 hours (healthy)", "healthy"),
        ("Up 2 hours (unhealthy)", "unhealthy"),
        ("Up 1 second (health: starting)", "starting"),
        ("Exited (137) 3 seconds ago", None),
        ("Up 2 hours (Paused)", None),
    ],
)
def test_health_is_read_from_dockers_words(status: str, health: str | None) -> None:
    row = listed(Status=status)
    assert row is not None
    assert row.health == health


def test_a_container_is_known_by_its_own_name_and_not_by_a_link() -> None:
    ports = [{"PrivatePort": 80, "PublicPort": 8080}, {"PrivatePort": 81}, {"PrivatePort": 80, "PublicPort": 8080}]
    row = listed(Names=["/other/alias", "/scraper"], Ports=ports)
    assert row is not None
    assert (row.name, row.ports) == ("scraper", (8080,))
    assert listed(Names=None) is None


def test_the_chosen_lines_hold_nothing_that_the_bot_was_configured_with() -> None:
    health = {"Status": "unhealthy", "Log": [{"Output": "old"}, {"Output": "\nrefused\nand more"}]}
    seen = Inspected.read(inspected(Health=health, OOMKilled=True))
    assert seen.chosen() == (
        "image bot:1",
        "restart policy always, restarted 3 times by Docker",
        "started 2026-08-16 06:30:00 UTC",
        "last exit code 0",
        "OOMKilled yes",
        "memory limit 536870912 bytes",
        "health unhealthy: refused",
    )
    assert "canary" not in repr(seen)
    assert seen.instance == "ab@2026-08-16T06:30:00.123456789Z"


def test_what_never_ran_has_no_start_and_no_pid() -> None:
    seen = Inspected.read(inspected(Status="created", StartedAt="0001-01-01T00:00:00Z", Pid=0))
    assert (seen.started_at, seen.pid, seen.stop_signal, seen.health) == (None, None, "SIGTERM", None)


@pytest.mark.parametrize("raw", [{}, {"State": []}, inspected(Pid="x"), inspected(StartedAt="yesterday"), inspected(StartedAt=3)])
def test_what_is_no_container_is_said_in_one_line(raw: dict[str, Any]) -> None:
    with pytest.raises(EngineAway, match="Docker's answer about a container is not understood"):
        Inspected.read(raw)


def test_an_event_is_exactly_what_may_be_kept() -> None:
    attributes = {"name": "scraper", "image": "bot:1", "signal": "15", "com.example.token": "canary"}
    raw = {
        "Type": "container",
        "Action": "kill",
        "Actor": {"ID": "ab", "Attributes": attributes},
        "time": 1,
        "timeNano": 1000000007,
    }
    assert event(raw) == {
        "Action": "kill",
        "ID": "ab",
        "name": "scraper",
        "signal": "15",
        "exitCode": "",
        "oldName": "",
        "timeNano": 1000000007,
    }


@pytest.mark.parametrize(
    ("action", "kept"),
    [
        ("exec_create: curl -H canary", "exec_create"),
        ("exec_start: sh", "exec_start"),
        ("health_status: unhealthy", "health_status: unhealthy"),
    ],
)
def test_the_command_line_of_an_exec_is_left_behind(action: str, kept: str) -> None:
    told = event({"Type": "container", "Action": action, "Actor": {"ID": "ab", "Attributes": {}}})
    assert told is not None
    assert told["Action"] == kept


@pytest.mark.parametrize("raw", [None, 3, [], {}, {"Type": "network", "Actor": {}}, {"Type": "container", "Actor": "x"}])
def test_what_is_no_event_of_a_container_is_none(raw: object) -> None:
    assert event(raw) is None


def test_docker_times_become_wall_seconds() -> None:
    assert wall_seconds("1970-01-01T00:00:01.5Z") == 1.5
    assert wall_seconds("1970-01-01T01:00:00.123456789+01:00") == pytest.approx(0.123456)
    assert wall_seconds("0001-01-01T00:00:00Z") is None
    with pytest.raises(ValueError, match="no time zone"):
        wall_seconds("1970-01-01T00:00:01")
