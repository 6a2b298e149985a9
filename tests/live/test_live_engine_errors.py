"""In the middle of a step the engine answers with errors, with half of its JSON, or not at all though it did what it was asked.

Every bot stands behind a door of its own, so that all are spoiled at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from time import sleep as pause

import pytest

from tests.live.engine import Engine
from tests.live.house import House, house
from tests.live.proxy import Mood, door

pytestmark = [pytest.mark.live, pytest.mark.timeout(150)]

ILLS = (Mood.ERRORS, Mood.CUT, Mood.LOST)
STEPS = ("stop_process", "ensure_running")
NAMES = {f"{ill.value}-{step}": (ill, step) for ill in ILLS for step in STEPS}
LASTS = 3.0
"""Seconds."""


@pytest.fixture(scope="module")
def here(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(engine, tmp_path_factory.mktemp("errors") / "house") as made, ExitStack() as stack:
        doors = {name: stack.enter_context(door(made.sockets / name, engine.socket)) for name in NAMES}
        for name in NAMES:
            made.container(name, "stubborn", policy="no", term_grace="2s")
            made.services[name]["runtime"]["docker"]["host"] = doors[name].host
        made.container("neighbour", policy="unless-stopped")
        made.start()
        made.until(made.ok, 20, "everybody is well")
        pause(2.5)
        for name in NAMES:
            made.mood(name, "hang")
        waiting = dict(NAMES)
        while waiting:
            made.until(lambda: any(made.stepping(name, step) for name, (_, step) in waiting.items()), 40, f"a step of {waiting}")
            for name in [each for each, (_, step) in waiting.items() if made.stepping(each, step)]:
                doors[name].mood, _ = waiting.pop(name)
        pause(LASTS)
        for each in doors.values():
            each.mood = Mood.FAITHFUL
        made.until(lambda: made.ok() and made.idle(), 40, "everybody is well")
        pause(3)
        yield made


@pytest.mark.parametrize("name", NAMES)
def test_it_is_restarted_once_and_well(here: House, name: str) -> None:
    assert here.count_of(name) == 2, here.report()
    assert here.engine.status(name) == "running"
    assert here.count("SELECT count(*) FROM incidents WHERE service = ? AND closed_at IS NULL", name) == 0


def test_its_neighbour_at_the_engine_itself_is_left_alone(here: House) -> None:
    assert here.count_of("neighbour") == 1
    assert here.runs("neighbour") == []


def test_nobody_is_woken_and_the_outside_checker_finds_nothing(here: House) -> None:
    assert here.rows("SELECT * FROM notices WHERE tier = 'critical'") == []
    assert here.breaches() == []
