"""Every default that SPEC 3 promises, in one place, and no default that is not promised here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from recovery.load import load_playbooks
from recovery.model import Effect
from recovery.registry import discover
from watchdog.config.load import from_values, load
from watchdog.config.schema import Budget, Service, Settings

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0

SETTINGS: dict[str, Any] = {
    "mode": "heal",
    "language": "en",
    "state.dir": Path("/var/lib/bot-watchdog"),
    "state.keep": 90 * DAY,
    "defaults.interval": 30.0,
    "defaults.timeout": 30.0,
    "defaults.retry": None,
    "defaults.startup_grace": 30.0,
    "defaults.term_grace": 10.0,
    "defaults.healthy": 2,
    "apis": {},
    "alerts.telegram": None,
    "alerts.fallback": None,
    "alerts.silent": "log",
    "alerts.tiers.silent_below": 3 * MINUTE,
    "alerts.tiers.critical_after": 15 * MINUTE,
    "alerts.tiers.repeats_per_hour": 3,
    "reports.digest": "08:30:00",
    "reports.night": ("22:00:00", "08:00:00"),
    "reports.manual_recovery": 45 * MINUTE,
    "guards.concurrent": 4,
    "guards.settle": 30.0,
    "guards.reconnect": 60.0,
    "guards.proof": 3 * MINUTE,
    "guards.cooldown": 5 * MINUTE,
    "guards.budget": Budget(3, HOUR),
    "guards.rearm_after": HOUR,
    "guards.storm.share": 0.5,
    "guards.storm.at_least": 4,
    "guards.storm.or_": 20,
    "guards.storm.within": 60.0,
    "connectivity.targets": (),
    "discovery": None,
    "commands": {},
    "playbooks": (),
    "control.socket": Path("/run/bot-watchdog/control.sock"),
    "control.admins": (),
}

SERVICE: dict[str, Any] = {
    "title": "bot",
    "labels": {},
    "runtime": None,
    "depends_on": {},
    "apis": (),
    "thresholds.unresponsive.count": 4,
    "thresholds.unresponsive.seconds": None,
    "thresholds.degraded": 3,
    "thresholds.degraded_restart": True,
    "thresholds.degraded_pages": False,
    "thresholds.cpu.above": 90.0,
    "thresholds.cpu.for_": 5 * MINUTE,
    "thresholds.memory.above": 800_000_000,
    "thresholds.memory.for_": 5 * MINUTE,
    "logs": (),
    "reload": None,
    "maintenance": (),
    "interval": 30.0,
    "timeout": 30.0,
    "retry": None,
    "startup_grace": 30.0,
    "term_grace": 10.0,
    "healthy": 2,
}

LEAVES = (Budget,)
GIVEN = {"services", "timezone", "name"}
"""What has no default, and the zone, which is the host's."""


def flat(value: Any, path: str = "") -> dict[str, Any]:
    """`guards.storm.share` to its value."""
    if not is_dataclass(value) or isinstance(value, LEAVES) or type(value).__name__ == "Night":
        return {path: plain(value)}
    found: dict[str, Any] = {}
    for field in fields(value):
        if field.name not in GIVEN and not path.startswith("probe"):
            found |= flat(getattr(value, field.name), f"{path}.{field.name}".lstrip("."))
    return found


def plain(value: Any) -> Any:
    if type(value).__name__ == "Night":
        return (str(value.start), str(value.end))
    if type(value).__name__ == "time":
        return str(value)
    return dict(value) if isinstance(value, Mapping) else value


@pytest.fixture(scope="module")
def written() -> Settings:
    """The smallest configuration."""
    return from_values({"services": {"bot": {"probe": {"tcp": "127.0.0.1:5432"}}}})


def test_every_default_of_the_configuration_is_the_promised_one(written: Settings) -> None:
    assert flat(written) == SETTINGS


def test_every_default_of_a_service_is_the_promised_one(written: Settings) -> None:
    service: Service = written.services["bot"]
    found = {key: value for key, value in flat(service).items() if not key.startswith("probe")}
    assert found == SERVICE


def test_a_check_ends_one_tick_before_the_next_begins(written: Settings) -> None:
    assert written.services["bot"].deadline == pytest.approx(29.9)


def test_the_zone_is_that_of_the_host(tmp_path: Path) -> None:
    path = tmp_path / "watchdog.yaml"
    path.write_text('services: {bot: {probe: {tcp: "127.0.0.1:5432"}}}\n')
    assert load(path, environ={"TZ": "Asia/Tashkent"}).timezone == "Asia/Tashkent"


def test_playbooks_are_those_of_a_folder_beside_the_file_if_there_is_one(tmp_path: Path) -> None:
    path = tmp_path / "watchdog.yaml"
    path.write_text('services: {bot: {probe: {tcp: "127.0.0.1:5432"}}}\n')
    assert load(path, environ={}).playbooks == ()
    (tmp_path / "playbooks").mkdir()
    assert load(path, environ={}).playbooks == (tmp_path / "playbooks",)


def test_a_command_counts_as_a_restart_and_runs_as_the_daemon() -> None:
    services = {"bot": {"probe": {"exec": "look"}}}
    written = from_values({"services": services, "commands": {"look": {"argv": ["/bin/true"]}}})
    assert written.commands["look"].user is None
    assert discover()["run_command"].effect is Effect.RESTART


def test_what_the_built_in_playbooks_promise() -> None:
    books = load_playbooks((), discover()).books
    assert books["start-exited"].cooldown == 10.0
    assert books["restart-unresponsive"].concurrent == 2
    assert books["restart-unresponsive"].cooldown is None, "5 min, from guards"
    assert {book.verify.every for book in books.values()} == {5.0}
    loud = {name for name, book in books.items() if not book.routine}
    assert loud == {"capture-and-restart-spinning", "relieve-memory"}
    for name in ("restart-unresponsive", "capture-and-restart-spinning"):
        (stacks,) = [step for step in books[name].steps if step.action == "capture_stacks"]
        assert (stacks.timeout, stacks.go_on) == (15.0, True)
