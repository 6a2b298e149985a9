"""Bots that do not end as they are told: as PID 1 without handler, behind an init, with children, or slowly. All hang at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from time import sleep as pause

import pytest

from tests.fakes.bots import alive
from tests.live.engine import Engine
from tests.live.house import House, house

pytestmark = [pytest.mark.live, pytest.mark.timeout(150)]

GRACE = 3.0
"""Seconds of term_grace."""
BOTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "stubborn": (("stubborn",), ()),
    "bare": (("bare",), ()),
    "init": ((), ("--init",)),
    "stubborn-init": (("stubborn",), ("--init",)),
    "family": (("family", "stubborn"), ()),
    "family-init": (("family", "stubborn"), ("--init",)),
    "saves": ((f"saves={GRACE / 2}",), ()),
}
"""Options of the bot, and flags of its container."""
DEAF = ("stubborn", "bare", "stubborn-init", "family", "family-init")


@dataclass(frozen=True)
class Night:
    """before: the processes of each container, on the host, before it was restarted."""

    house: House
    before: dict[str, set[int]]


@pytest.fixture(scope="module")
def night(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Night]:
    with house(engine, tmp_path_factory.mktemp("deaf") / "house") as here:
        for name, (options, flags) in BOTS.items():
            here.container(name, *options, policy="unless-stopped", flags=flags, term_grace=f"{GRACE:g}s")
        here.start()
        here.until(here.ok, 20, "everybody is well")
        pause(2.5)
        before = {name: engine.processes(name) for name in BOTS}
        for name in BOTS:
            here.mood(name, "hang")
        here.until(lambda: all(here.healed(name) for name in BOTS), 60, "everybody is healed")
        here.until(lambda: here.ok() and here.idle(), 10, "everybody is well")
        yield Night(here, before)


@pytest.mark.parametrize("name", BOTS)
def test_it_is_healed_with_one_restart(night: Night, name: str) -> None:
    here = night.house
    assert here.count_of(name) == 2, here.report()
    assert [each["outcome"] for each in here.incidents(name)] == ["healed"]
    assert [(run["playbook"], run["outcome"]) for run in here.runs(name)] == [("restart-unresponsive", "healed")]


@pytest.mark.parametrize("name", BOTS)
def test_nothing_of_its_old_container_lives_on(night: Night, name: str) -> None:
    assert not [pid for pid in night.before[name] if alive(pid)]
    wanted = 1 + ("init" in name) + 2 * ("family" in name)
    assert len(night.house.engine.processes(name)) == len(night.before[name]) == wanted


@pytest.mark.parametrize("name", DEAF)
def test_whoever_ignores_sigterm_has_its_grace_and_is_killed_then(night: Night, name: str) -> None:
    (stop,) = stops(night.house, name)
    assert GRACE - 0.2 <= stop["ended_at"] - stop["intent_at"] <= GRACE + 2
    assert "SIGTERM was ignored" in stop["detail"]
    assert "die 137" in night.house.events(name)


def test_whoever_needs_its_grace_to_save_has_it(night: Night) -> None:
    here = night.house
    assert len((here.folder / "ends" / "saves").read_text().splitlines()) == 1, "it had the time that it needs"
    assert "die 0" in here.events("saves")


@pytest.mark.parametrize("name", ["init", "saves"])
def test_whoever_obeys_is_not_waited_for(night: Night, name: str) -> None:
    (stop,) = stops(night.house, name)
    assert stop["ended_at"] - stop["intent_at"] < GRACE


@pytest.mark.parametrize("name", sorted(set(BOTS) - {"bare"}))
def test_it_was_told_to_end_exactly_once(night: Night, name: str) -> None:
    lines = (night.house.folder / "signals" / name).read_text().splitlines()
    assert [line.split()[0] for line in lines] == ["15"]


def test_the_outside_checker_finds_nothing(night: Night) -> None:
    assert night.house.breaches() == []


def stops(here: House, name: str) -> list[sqlite3.Row]:
    return here.rows("SELECT s.* FROM steps s JOIN runs r ON r.id = s.run WHERE r.service = ? AND action = 'stop_process'", name)
