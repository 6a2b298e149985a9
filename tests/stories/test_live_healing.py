"""One bad minute: bots of one town fall ill at the same time, each in its own way. Each test is one of their stories."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import sleep as pause

import pytest

from tests.fakes.bots import alive
from tests.stories.harness import Town, pids, town

pytestmark = [pytest.mark.live, pytest.mark.timeout(150)]

NEIGHBOURS = tuple(f"neighbour-{number}" for number in range(7))
ILL = ("hung", "stopped", "family", "zombie", "swapped", "exited")


@dataclass
class Minute:
    """What the town looked like before and after. first: each bot's pid before. strangers: by the bot that names them."""

    town: Town
    first: dict[str, int]
    relatives: list[int]
    strangers: dict[str, subprocess.Popen[bytes]]


@pytest.fixture(scope="module")
def minute(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Minute]:
    with town(tmp_path_factory.mktemp("healing") / "town") as here, strangers("swapped", "exited") as others:
        found = settle_in(here)
        fall_ill(here, others)
        here.until(lambda: all(here.healed(name) for name in ILL), 40, "everybody is healed")
        here.until(here.ok, 10, "everybody is well")
        yield Minute(here, found, [int(line.split()[0]) for line in relatives_of(here)], others)


@contextmanager
def strangers(*names: str) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """Processes of this test that no bot has to do with."""
    made = {name: subprocess.Popen(["sleep", "300"]) for name in names}
    try:
        yield made
    finally:
        for stranger in made.values():
            stranger.kill()
            stranger.wait()


def settle_in(here: Town) -> dict[str, int]:
    here.bot("hung", "stubborn")
    here.bot("stopped")
    here.bot("family", "family")
    here.bot("zombie", "zombie")
    for name in ("swapped", "exited"):
        file = here.folder / f"{name}.pid"
        here.bot(name, f"pidfile={file}")
        here.services[name]["runtime"]["process"]["pidfile"] = str(file)
    for name in NEIGHBOURS:
        here.bot(name)
    here.start()
    here.until(here.ok, 20, "everybody is well")
    pause(1)
    return {name: here.pid(name) for name in here.services}


def relatives_of(here: Town) -> list[str]:
    return (here.folder / "family" / "family").read_text().splitlines()[:4]


def fall_ill(here: Town, others: dict[str, subprocess.Popen[bytes]]) -> None:
    for name in ("hung", "family", "zombie", "swapped"):
        here.mood(name, "hang")
    os.kill(here.pid("stopped"), signal.SIGSTOP)
    for name, stranger in others.items():
        (here.folder / f"{name}.pid").write_text(f"{stranger.pid}\n")
    os.kill(here.pid("exited"), signal.SIGKILL)


def test_a_hung_bot_that_ignores_sigterm_is_restarted_once_and_healed(minute: Minute) -> None:
    here = minute.town
    assert len(here.starts("hung")) == 2
    (incident,) = here.incidents("hung")
    assert (incident["symptom"], incident["outcome"], incident["tier"]) == ("unresponsive", "healed", "silent")
    (run,) = here.runs("hung")
    assert (run["playbook"], run["outcome"]) == ("restart-unresponsive", "healed")
    stop = here.rows("SELECT * FROM steps WHERE run = ? AND action = 'stop_process'", run["id"])[0]
    assert "SIGTERM was ignored" in stop["detail"]
    assert not alive(minute.first["hung"])


def test_its_neighbours_are_untouched(minute: Minute) -> None:
    here = minute.town
    for name in NEIGHBOURS:
        assert [start.pid for start in here.starts(name)] == [minute.first[name]]
        assert alive(minute.first[name])
        assert here.incidents(name) == []
        assert not (here.folder / "logs" / f"{name}.jsonl").exists(), "no signal"


def test_no_grandchild_that_ignores_signals_survives_the_restart(minute: Minute) -> None:
    here = minute.town
    assert len(here.starts("family")) == 2
    roles = [line.split()[1] for line in relatives_of(here)]
    assert sorted(roles) == ["child", "grandchild", "orphan", "parent"]
    assert not [pid for pid in minute.relatives if alive(pid)]
    now = (here.folder / "family" / "family").read_text().splitlines()[4:]
    assert len(now) == 4
    assert all(alive(int(line.split()[0])) for line in now), "its new relatives live"


def test_a_stopped_bot_is_healed(minute: Minute) -> None:
    here = minute.town
    assert len(here.starts("stopped")) == 2
    assert not alive(minute.first["stopped"])
    assert here.incidents("stopped")[0]["symptom"] == "unresponsive"


def test_a_bot_with_a_zombie_is_healed_and_its_zombie_stands_in_nobodys_way(minute: Minute) -> None:
    assert len(minute.town.starts("zombie")) == 2
    (run,) = minute.town.runs("zombie")
    assert run["ended_at"] - run["started_at"] < 8


@pytest.mark.parametrize("name", ["swapped", "exited"])
def test_a_stranger_whom_a_pidfile_names_survives(minute: Minute, name: str) -> None:
    assert minute.strangers[name].poll() is None
    assert len(minute.town.starts(name)) == 2
    assert not alive(minute.first[name])


def test_the_outside_checker_finds_nothing(minute: Minute) -> None:
    assert minute.town.breaches() == []


def test_no_zombie_of_a_bot_is_left_with_the_daemon(minute: Minute) -> None:
    daemon = minute.town.daemon
    assert daemon is not None
    assert [pid for pid in pids() if parent_of(pid) == daemon.pid and not alive(pid)] == []


def test_why_names_every_step_and_the_playbook(minute: Minute) -> None:
    here = minute.town
    answers = here.ctl("why", "hung")
    heal = [each for each in answers if each["verdict"] == "heal"]
    assert [each["playbook"] for each in heal] == ["restart-unresponsive"]
    steps = [each["step"] for each in answers if each["at"] == heal[0]["at"]]
    assert steps == ["host", "operator", "root", "grace", "terminal", "budget", "playbook"]
    told = here.text("why", "hung")
    assert "heal with restart-unresponsive" in told
    assert len(told.splitlines()) <= 25, "one screen"


def test_incidents_lists_each_story_once(minute: Minute) -> None:
    listed = minute.town.ctl("incidents")
    assert sorted(each["service"] for each in listed) == sorted(ILL)
    assert all(each["outcome"] == "healed" and each["blocked"] == [] for each in listed)
    hung = next(each for each in listed if each["service"] == "hung")
    assert [step["action"] for step in hung["runs"][0]["steps"]] == [
        "capture_evidence",
        "capture_stacks",
        "stop_process",
        "ensure_running",
    ]
    assert "thread; idle in main (bot.py:" in hung["runs"][0]["steps"][1]["detail"]


def parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0
