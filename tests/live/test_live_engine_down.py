"""The engine ends or hangs, and a plain process too: what Docker stopped is brought back, what a person stopped is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import sleep as pause

import pytest

from tests.live.engine import Engine
from tests.live.house import House, house

pytestmark = [pytest.mark.live, pytest.mark.timeout(150)]

RUNNING = {"always": "always", "unless-stopped": "unless-stopped", "on-failure": "on-failure", "no": "no", "slow": "no"}
"""Their policies. The slow one ignores SIGTERM, so that the engine takes its time to end."""
STOPPED = {f"stopped-{policy}": policy for policy in ("unless-stopped", "on-failure", "no")} | {"stopped-late": "no"}
"""By a person, before, the late one at the last moment. `always` is not among them: Docker starts it at its own return."""
SLOW = 3
"""Seconds."""
AWAY = 6.0
"""Seconds."""


def in_order(here: House) -> None:
    here.engine.stop()
    meanwhile(here)
    here.engine.start()


def by_kill(here: House) -> None:
    here.engine.kill()
    meanwhile(here)
    here.engine.start()


def at_once(here: House) -> None:
    here.engine.restart()
    meanwhile(here)


def hanging(here: House) -> None:
    here.engine.hang()
    meanwhile(here)
    here.engine.go_on()


def meanwhile(here: House) -> None:
    """A plain process hangs, and is healed whatever the engine does."""
    here.mood("plain", "hang")
    here.until(lambda: here.healed("plain"), 30, "the plain process is healed")
    pause(AWAY / 2)


WAYS: dict[str, Callable[[House], None]] = {"in order": in_order, "by kill": by_kill, "at once": at_once, "hanging": hanging}


@pytest.fixture(scope="module", params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def here(engine: Engine, way: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(engine, tmp_path_factory.mktemp("down") / "house") as made:
        for name, policy in (RUNNING | STOPPED).items():
            options = ("stubborn",) if name == "slow" else ()
            made.container(name, *options, policy=policy, flags=("--stop-timeout", str(SLOW)))
        made.bot("plain")
        made.start()
        made.until(made.ok, 30, "everybody is well")
        for name in STOPPED:
            if name == "stopped-late":
                pause(3)
            made.person("stop", name=name)
        WAYS[way](made)
        for name in RUNNING:
            made.others[name] += 1
        made.until(lambda: made.ok(*RUNNING, "plain") and made.idle(), 25, "everybody is well")
        pause(4)
        yield made


def test_plain_processes_go_on_being_healed(here: House) -> None:
    assert len(here.starts("plain")) == 2
    assert [each["outcome"] for each in here.incidents("plain")] == ["healed"]


@pytest.mark.parametrize("name", RUNNING)
def test_what_docker_stopped_itself_is_brought_back_once(here: House, way: str, name: str) -> None:
    assert here.count_of(name) == (1 if way == "hanging" else 2), here.report()
    assert here.engine.status(name) == "running"


@pytest.mark.parametrize("name", STOPPED)
def test_what_a_person_stopped_stays_stopped(here: House, name: str) -> None:
    assert here.engine.status(name) == "exited", here.report()
    assert here.count_of(name) == 1
    assert here.runs(name) == []


def test_the_outage_is_one_incident_of_docker_and_over(here: House) -> None:
    incidents = here.incidents("docker")
    assert len(incidents) <= 1, here.report()
    assert all(each["closed_at"] is not None for each in incidents)
    assert here.rows("SELECT * FROM incidents WHERE service = 'host' AND confirmed_at IS NOT NULL") == []


@pytest.mark.parametrize("name", RUNNING)
def test_no_person_is_blamed_for_what_docker_did(here: House, name: str) -> None:
    said = [*here.told(name, "soft"), *(each for each in here.reasons(name, "operator"))]
    assert not [each for each in said if "by hand" in each], here.report()


def test_nobody_is_woken(here: House) -> None:
    assert here.rows("SELECT * FROM notices WHERE tier = 'critical'") == []


def test_the_outside_checker_finds_nothing(here: House) -> None:
    assert here.breaches() == []
