"""Somebody types `docker`, before, during and after a run of the watchdog: nothing is done against that person.

All bots hang, each in a container of its own; the two words of a bot's name say what is done to it and when.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from time import sleep as pause

import pytest

from tests.live.engine import Engine
from tests.live.house import House, house

pytestmark = [pytest.mark.live, pytest.mark.timeout(240)]

MOMENTS = ("before", "during", "after")


@dataclass(frozen=True)
class Act:
    """words: of the command line; empty: the container is made anew. leaves: what becomes of the container."""

    words: tuple[str, ...]
    leaves: str
    new: bool = False


ACTS = {
    "stop": Act(("stop", "-t", "1"), "exited"),
    "kill": Act(("kill",), "exited"),
    "pause": Act(("pause",), "paused"),
    "rm": Act(("rm", "-f"), "gone"),
    "restart": Act(("restart", "-t", "1"), "running", new=True),
    "anew": Act((), "running", new=True),
    "hup": Act(("kill", "-s", "HUP"), "running"),
}
AWAY = ("stop", "kill", "pause")
"""After these it is a person who must say when it comes back."""
NAMES = tuple(f"{act}-{moment}" for act in ACTS for moment in MOMENTS)


def act_of(name: str) -> Act:
    return ACTS[name.partition("-")[0]]


@pytest.fixture(scope="module")
def here(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(engine, tmp_path_factory.mktemp("persons") / "house") as made:
        for name in NAMES:
            grace = "4s" if name.endswith("during") else "1s"
            made.container(name, "stubborn", policy="unless-stopped", term_grace=grace)
        made.start()
        made.until(made.ok, 30, "everybody is well")
        pause(2.5)
        for moment in ("before", "during", "after"):
            play(made, moment)
        made.until(made.idle, 30, "no run is open")
        pause(6)
        yield made


def play(here: House, moment: str) -> None:
    """Everybody of the moment hangs, and is acted upon as soon as it is his turn."""
    waiting = [name for name in NAMES if name.endswith(moment)]
    for name in waiting:
        here.mood(name, "hang")
    turn = {
        "before": lambda name: True,
        "during": lambda name: here.stepping(name, "stop_process"),
        "after": here.healed,
    }[moment]
    while waiting:
        here.until(lambda: any(turn(name) for name in waiting), 60, f"somebody's turn of {waiting}")
        for name in [each for each in waiting if turn(each)]:
            act(here, name)
            waiting.remove(name)


def act(here: House, name: str) -> None:
    words = act_of(name).words
    if words:
        here.person(*words, name=name)
    else:
        here.person("rm", "-f", name=name)
        here.move_in(name, "stubborn", policy="unless-stopped")


@pytest.mark.parametrize("name", NAMES)
def test_what_the_person_did_stands(here: House, name: str) -> None:
    assert here.engine.status(name) == act_of(name).leaves, here.report()
    healed = name.endswith("after") or name in ("hup-before", "hup-during")
    assert here.count_of(name) == 1 + healed + act_of(name).new, here.report()


@pytest.mark.parametrize("name", NAMES)
def test_the_run_ends_as_it_should(here: House, name: str) -> None:
    outcomes = [run["outcome"] for run in here.runs(name)]
    if name.endswith("after") or name in ("hup-before", "hup-during"):
        assert outcomes == ["healed"]
    elif name.endswith("before"):
        assert outcomes == []
    else:
        assert outcomes in (["superseded"], ["held"]), here.report()


@pytest.mark.parametrize("name", NAMES)
def test_it_is_told_in_one_soft_line_at_most_and_nobody_is_woken(here: House, name: str) -> None:
    assert here.told(name, "critical") == []
    assert len(here.told(name, "soft")) in ((1,) if name.startswith(AWAY) else (0, 1)), here.report()


@pytest.mark.parametrize("name", [each for each in NAMES if each.startswith(AWAY)])
def test_why_says_that_it_was_a_person(here: House, name: str) -> None:
    reasons = " | ".join(here.reasons(name, "operator"))
    assert re.search(r"person|by hand|docker (stop|kill|pause)", reasons), here.text("why", name, "--all")
    assert here.stage(name) == "stopped"


def test_the_outside_checker_finds_nothing(here: House) -> None:
    assert here.breaches() == []


def test_after_a_hangup_by_hand_docker_no_longer_restarts_so_a_crash_is_ours(here: House) -> None:
    pause(3)
    here.crash("hup-after", comes_back=False)
    here.until(lambda: here.count_of("hup-after") == 3 and here.ok("hup-after") and here.idle(), 60, "it is started")
    assert [run["outcome"] for run in here.runs("hup-after")] == ["healed", "healed"]


def test_whoever_is_let_go_on_is_well_without_us_and_healed_the_next_time(here: House) -> None:
    back = {"stop-before": "start", "kill-before": "start", "pause-before": "unpause", "stop-during": "start"}
    runs = {name: len(here.runs(name)) for name in back}
    here.mood("pause-before", "ok")
    for name, word in back.items():
        here.person(word, name=name)
    here.until(lambda: here.ok(*back), 20, "they are well")
    pause(3)
    assert {name: len(here.runs(name)) for name in back} == runs, here.report()
    assert [each["outcome"] for each in here.incidents("stop-during")] == ["ignored"]
    here.mood("stop-before", "hang")
    here.until(lambda: len(here.runs("stop-before")) == 1 and here.idle() and here.ok("stop-before"), 30, "it is healed")
    assert here.runs("stop-before")[0]["outcome"] == "healed"
    assert here.count_of("stop-before") == 3
