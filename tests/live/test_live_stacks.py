"""A container that spins: its stack is taken from the host, nothing is needed inside it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.engine import Engine
from tests.live.house import House, house

pytestmark = [pytest.mark.live, pytest.mark.timeout(150)]


@pytest.fixture(scope="module")
def here(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(engine, tmp_path_factory.mktemp("stacks") / "house") as made:
        made.container("spinner", thresholds={"cpu": {"above": "15%", "for": "2s"}})
        made.container("calm")
        made.start()
        made.until(made.ok, 20, "both are well")
        made.mood("spinner", "spin")
        made.until(lambda: made.healed("spinner"), 60, "it is healed")
        yield made


def test_its_function_is_named_and_it_is_restarted_once(here: House) -> None:
    (run,) = here.runs("spinner")
    assert (run["playbook"], run["outcome"]) == ("capture-and-restart-spinning", "healed")
    assert here.count_of("spinner") == 2
    (incident,) = here.incidents("spinner")
    told = here.ctl("incident", str(incident["id"]))
    (stacks,) = [piece for piece in told["evidence"] if piece["kind"] == "stacks"]
    assert "1 process, 1 thread; active in turn_in_circles (bot.py:" in stacks["text"]


def test_its_neighbour_was_not_touched(here: House) -> None:
    assert here.count_of("calm") == 1
    assert here.incidents("calm") == []
