"""The daemon is killed between any two steps of a run and started again: one restart, no bot twice, none stays dead (SPEC 7)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import sleep as pause

import pytest

from tests.fakes.bots import alive
from tests.stories.harness import ROOT, Town, town

pytestmark = [pytest.mark.live, pytest.mark.timeout(150)]

MORTAL = ROOT / "tests" / "fakes" / "targets" / "mortal_daemon.py"
WRITES = 9
"""Of the journal of one restart: the run, an intent and an outcome for each of three steps, the proof, the end."""
AT_ONCE = 9
POINTS = [f"{moment}-{number}" for number in range(1, WRITES + 1) for moment in ("before", "after")]


def settle_in(here: Town) -> None:
    here.bot("hung", "stubborn")
    here.bot("neighbour")


def over(here: Town) -> bool:
    """Well again, nothing open."""
    nothing = here.count("SELECT count(*) FROM incidents WHERE closed_at IS NULL") == 0
    return (
        nothing
        and bool(here.incidents("hung"))
        and here.ok()
        and here.count("SELECT count(*) FROM runs WHERE ended_at IS NULL") == 0
    )


def progress(here: Town) -> int:
    """Rows of the run that can be seen."""
    return here.count(
        "SELECT (SELECT count(*) + count(proving_at) + count(ended_at) FROM runs WHERE playbook != 'bring-up')"
        " + (SELECT count(*) + count(s.ended_at) FROM steps s JOIN runs r ON r.id = s.run WHERE r.playbook != 'bring-up')"
    )


@pytest.fixture(scope="module")
def struck(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Town]]:
    """A town for each point at which its daemon died; the real daemon took over in all of them."""
    folder = tmp_path_factory.mktemp("crashes")
    with ExitStack() as stack:
        towns = {point: stack.enter_context(town(folder / point)) for point in POINTS}
        for first in range(0, len(POINTS), AT_ONCE):
            wave = {point: towns[point] for point in POINTS[first : first + AT_ONCE]}
            strike(wave)
        yield towns


def strike(wave: dict[str, Town]) -> None:
    mortals = {}
    for point, here in wave.items():
        settle_in(here)
        here.write()
        mortals[point] = mortal(here, *point.split("-"))
    try:
        for here in wave.values():
            here.until(here.ok, 30, "everybody is well")
            here.mood("hung", "hang")
        for point, process in mortals.items():
            assert process.wait(40) == -signal.SIGKILL, point
    finally:
        for process in mortals.values():
            process.kill()
            process.wait()
    for here in wave.values():
        here.start(ready=False)
    for here in wave.values():
        here.until(lambda: over(here), 40, "the hung bot is well again")  # noqa: B023 - asked at once
        here.end()


def mortal(here: Town, moment: str, number: str) -> subprocess.Popen[bytes]:
    with (here.folder / "mortal.log").open("wb") as log:
        argv = [sys.executable, str(MORTAL), str(here.config), moment, number]
        return subprocess.Popen(argv, cwd=ROOT, stdout=log, stderr=log, env={**os.environ, "PYTHONPATH": str(ROOT)})


@pytest.mark.parametrize("point", POINTS)
def test_whenever_the_daemon_dies_the_bot_is_restarted_once(struck: dict[str, Town], point: str) -> None:
    here = struck[point]
    assert len(here.starts("hung")) == 2, here.report()
    assert alive(here.pid("hung"))
    assert not alive(here.starts("hung")[0].pid)
    assert len(here.starts("neighbour")) == 1
    assert here.incidents("neighbour") == []
    assert here.breaches() == []


@pytest.mark.parametrize("point", POINTS)
def test_it_stays_one_incident_that_ends_healed(struck: dict[str, Town], point: str) -> None:
    incidents = struck[point].incidents("hung")
    assert [each["outcome"] for each in incidents] == ["healed"], struck[point].report()


def test_killed_at_each_row_that_is_seen_it_still_restarts_once(tmp_path: Path) -> None:
    with town(tmp_path / "town") as here:
        here.bot("hung", "stubborn", "family")
        here.bot("neighbour")
        here.start()
        here.until(here.ok, 20, "everybody is well")
        here.mood("hung", "hang")
        seen, deaths = progress(here), 0
        while deaths < 8 and not over(here):
            here.until(lambda: progress(here) != seen or over(here), 40, "the next row")  # noqa: B023 - asked at once
            here.kill()
            deaths, seen = deaths + 1, progress(here)
            here.start(ready=False)
        here.until(lambda: over(here), 40, "the hung bot is well again")
        assert deaths >= 4
        assert len(here.starts("hung")) == 2, here.report()
        assert len(here.starts("neighbour")) == 1
        assert here.breaches() == []
        lines = [line.split() for line in (here.folder / "family" / "hung").read_text().splitlines()]
        assert [alive(int(pid)) for pid, _ in lines] == [False] * 4 + [True] * 4


def test_killed_while_a_bot_is_brought_up_it_is_not_started_twice(tmp_path: Path) -> None:
    with town(tmp_path / "town") as here:
        for number in range(6):
            here.bot(f"bot-{number}", "boots=1")
        here.start(ready=False)
        for wanted in (1, 3, 5):
            here.until(lambda: sum(len(here.starts(name)) for name in here.services) >= wanted, 20, "a start")  # noqa: B023
            here.kill()
            here.start(ready=False)
        here.until(here.ok, 30, "everybody is well")
        pause(2)
        assert {name: len(here.starts(name)) for name in here.services} == dict.fromkeys(here.services, 1)
        assert here.rows("SELECT * FROM incidents WHERE confirmed_at IS NOT NULL") == []
        assert here.breaches() == []
