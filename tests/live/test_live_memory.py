"""A container at its memory limit loses a process to the kernel: noted, nothing done; the fourth in an hour is a page."""

from __future__ import annotations

from collections.abc import Iterator
from time import sleep as pause

import pytest

from tests.live.engine import Engine
from tests.live.house import House, house

pytestmark = [pytest.mark.live, pytest.mark.timeout(150)]

LIMIT = ("--memory", "64m", "--memory-swap", "64m")
BOTH = ("greedy", "parent")
"""One dies of it and Docker brings it back; one loses a child and goes on."""


@pytest.fixture(scope="module")
def here(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(engine, tmp_path_factory.mktemp("memory") / "house") as made:
        for name in BOTH:
            made.container(name, policy="unless-stopped", flags=LIMIT)
        made.start()
        made.until(made.ok, 20, "both are well")
        starve(made)
        pause(3)
        yield made


def starve(here: House) -> None:
    """Once more, both of them."""
    before = {name: killed(here, name) for name in BOTH}
    starts = here.count_of("greedy")
    here.others["greedy"] += 1
    here.mood("greedy", "eat 300")
    here.mood("parent", "child eats 300")
    here.until(lambda: all(killed(here, name) > before[name] for name in BOTH), 20, "the kernel kills")
    here.until(lambda: here.count_of("greedy") > starts, 20, "Docker brings it back")
    here.until(lambda: here.ok(*BOTH), 20, "both are well")


def killed(here: House, name: str) -> int:
    """For one death the kernel may give the word twice, within milliseconds."""
    return here.events(name).count("oom")


def test_docker_alone_restarts_whom_it_cost_its_life(here: House) -> None:
    assert set(here.events("greedy")) == {"oom", "die 137", "start"}
    assert here.count_of("greedy") == 2


def test_whoever_lost_a_child_goes_on(here: House) -> None:
    assert set(here.events("parent")) == {"start", "oom"}
    assert here.count_of("parent") == 1


@pytest.mark.parametrize("name", BOTH)
def test_it_is_noted_and_nothing_is_done(here: House, name: str) -> None:
    sql = "SELECT count(*) FROM timeline WHERE service = ? AND (text LIKE '%memory%' OR text LIKE '%OOM%')"
    assert here.count(sql, name) > 0, here.report()
    assert here.runs(name) == []
    assert here.told(name, "critical") == []


def test_the_fourth_within_an_hour_is_for_a_person_with_the_memory_curve(here: House) -> None:
    for _ in range(2):
        starve(here)
    pause(2)
    assert [here.told(name, "critical") for name in BOTH] == [[], []]
    starve(here)
    here.until(lambda: all(here.told(name, "critical") for name in BOTH), 20, "a person is told of both")
    for name in BOTH:
        (text,) = here.told(name, "critical")
        assert "memory" in text.lower(), text
        evidence = here.rows("SELECT text FROM evidence WHERE service = ?", name)
        assert any("memory" in row["text"].lower() for row in evidence), "its curve"
        assert here.runs(name) == []
    assert (here.count_of("greedy"), here.count_of("parent")) == (5, 1)


def test_the_outside_checker_finds_nothing(here: House) -> None:
    assert here.breaches() == []
