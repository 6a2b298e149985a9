"""What happened while the daemon was away: a person's stops stand, what died is started, also where the engine has forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from time import sleep as pause

import pytest

from tests.live.engine import Engine
from tests.live.house import House, house

pytestmark = [pytest.mark.live, pytest.mark.timeout(150)]

REMEMBERED = 256
"""Events that the engine keeps, of all kinds."""
FATES = ("stopped", "killed", "paused", "crashed", "ended", "anew", "restarted", "well")
TIMES = ("told", "forgotten")
"""Whether the engine can still say what happened."""
NAMES = tuple(f"{fate}-{time}" for time in TIMES for fate in FATES)


@pytest.fixture(scope="module")
def here(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(engine, tmp_path_factory.mktemp("absence") / "house") as made:
        for name in NAMES:
            made.container(name, policy="no")
        made.start()
        for time in TIMES:
            made.until(lambda: made.ok(*(f"{fate}-{time}" for fate in FATES)), 30, "everybody is well")  # noqa: B023
            made.end()
            befall(made, time)
            if time == "forgotten":
                forget(made)
            made.start()
            made.until(lambda: made.ok(f"crashed-{time}", f"ended-{time}"), 30, "who died is back")  # noqa: B023
        pause(4)
        yield made


def befall(here: House, time: str) -> None:
    here.person("stop", name=f"stopped-{time}")
    here.person("kill", name=f"killed-{time}")
    here.person("pause", name=f"paused-{time}")
    here.person("restart", name=f"restarted-{time}")
    here.crash(f"crashed-{time}", comes_back=False)
    here.mood(f"ended-{time}", "exit 0")
    here.person("rm", "-f", name=f"anew-{time}")
    here.move_in(f"anew-{time}")
    here.until(lambda: here.engine.status(f"ended-{time}") == "exited", 10, "it has ended")


def forget(here: House) -> None:
    """The engine's memory is filled with other things: each `exec` is three events."""
    with ThreadPoolExecutor(4) as hands:
        list(hands.map(lambda _: here.engine.docker("exec", "well-told", "/bin/true"), range(REMEMBERED // 3 + 10)))


@pytest.mark.parametrize("time", TIMES)
def test_what_a_person_stopped_stays_stopped(here: House, time: str) -> None:
    for fate, status in (("stopped", "exited"), ("killed", "exited"), ("paused", "paused")):
        name = f"{fate}-{time}"
        assert here.engine.status(name) == status, here.report()
        assert here.count_of(name) == 1
        assert here.runs(name) == []
        assert here.stage(name) == "stopped"


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("fate", ["crashed", "ended"])
def test_what_died_by_itself_is_started_once(here: House, fate: str, time: str) -> None:
    assert here.count_of(f"{fate}-{time}") == 2, here.report()


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("fate", ["anew", "restarted", "well"])
def test_what_runs_is_watched_and_left_alone(here: House, fate: str, time: str) -> None:
    name = f"{fate}-{time}"
    assert here.count_of(name) == 1 + (fate != "well")
    assert here.runs(name) == []
    assert here.ok(name)


def test_nobody_was_woken_and_the_outside_checker_finds_nothing(here: House) -> None:
    assert here.rows("SELECT * FROM notices WHERE tier = 'critical'") == []
    assert here.breaches() == []
