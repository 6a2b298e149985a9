"""A hang and a crash under each restart policy: exactly one restart, whoever makes it, and afterwards the policy still works."""

from __future__ import annotations

from collections.abc import Iterator
from time import sleep as pause

import pytest

from tests.live.engine import Engine
from tests.live.house import House, house

pytestmark = [pytest.mark.live, pytest.mark.timeout(150)]

POLICIES = ("unless-stopped", "on-failure", "no")
DOCKERS = ("unless-stopped", "on-failure")
"""Those under which Docker itself brings a crashed container back."""
HUNG = tuple(f"hung-{policy}" for policy in POLICIES)
CRASHED = tuple(f"crashed-{policy}" for policy in POLICIES)


def policy_of(name: str) -> str:
    return name.partition("-")[2]


@pytest.fixture(scope="module")
def here(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Everybody falls ill at once, and is well again."""
    with house(engine, tmp_path_factory.mktemp("policies") / "house") as made:
        for name in (*HUNG, *CRASHED, "neighbour"):
            made.container(name, policy="unless-stopped" if name == "neighbour" else policy_of(name))
        made.start()
        made.until(made.ok, 20, "everybody is well")
        pause(2.5)
        for name in HUNG:
            made.mood(name, "hang")
        for name in CRASHED:
            made.crash(name, comes_back=policy_of(name) in DOCKERS)
        made.until(lambda: all(made.count_of(name) == 2 for name in (*HUNG, *CRASHED)), 30, "everybody was restarted")
        made.until(lambda: made.ok() and made.idle() and all(made.healed(name) for name in HUNG), 20, "everybody is well")
        pause(3)
        yield made


@pytest.mark.parametrize("name", HUNG)
def test_a_hung_container_is_restarted_once_and_healed(here: House, name: str) -> None:
    assert here.count_of(name) == 2, here.report()
    (incident,) = here.incidents(name)
    assert (incident["symptom"], incident["outcome"], incident["tier"]) == ("unresponsive", "healed", "silent")
    (run,) = here.runs(name)
    assert (run["playbook"], run["outcome"]) == ("restart-unresponsive", "healed")


@pytest.mark.parametrize("name", HUNG)
def test_it_was_asked_to_end_past_the_engine_so_that_its_policy_is_kept(here: House, name: str) -> None:
    assert not [event for event in here.events(name) if event.startswith(("kill", "stop", "restart"))]
    assert not here.engine.by_hand(name)


@pytest.mark.parametrize("name", [f"crashed-{policy}" for policy in DOCKERS])
def test_a_crash_that_docker_mends_is_left_to_docker(here: House, name: str) -> None:
    assert here.count_of(name) == 2, here.report()
    assert here.runs(name) == []


def test_a_crash_that_nobody_mends_is_ours(here: House) -> None:
    assert here.count_of("crashed-no") == 2, here.report()
    assert [run["playbook"] for run in here.runs("crashed-no")] == ["start-exited"]
    assert [each["outcome"] for each in here.incidents("crashed-no")] == ["healed"]


def test_their_neighbour_is_left_alone(here: House) -> None:
    assert here.count_of("neighbour") == 1
    assert here.incidents("neighbour") == []


def test_nobody_was_woken(here: House) -> None:
    assert here.rows("SELECT * FROM notices WHERE tier != 'silent'") == []


@pytest.mark.parametrize("name", [*HUNG, *CRASHED])
def test_afterwards_its_policy_still_works(here: House, name: str) -> None:
    runs = len(here.runs(name))
    here.crash(name, comes_back=policy_of(name) in DOCKERS)
    here.until(lambda: here.count_of(name) == 3 and here.ok(name) and here.idle(), 30, "it is back")
    assert len(here.runs(name)) == runs + (policy_of(name) not in DOCKERS), here.report()
    assert here.count_of(name) == 3


def test_the_outside_checker_finds_nothing(here: House) -> None:
    assert here.breaches() == []
