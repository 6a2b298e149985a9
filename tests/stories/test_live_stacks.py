"""Bots that spin, and one that is stopped: what they were doing is known after their restart, and nothing delays it for long."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import Row
from time import sleep as pause

import pytest

from tests.fakes.bots import alive
from tests.fakes.ports import free_port
from tests.stories.harness import Town, town

pytestmark = [pytest.mark.live, pytest.mark.timeout(120)]

PERL = Path(__file__).parents[1] / "fakes" / "targets" / "spinner.pl"
QUICK = {"cpu": {"above": "15%", "for": "2s"}}
"""A spin is one soon, also on a host that is busy."""

NEIGHBOURS = tuple(f"neighbour-{number}" for number in range(4))


@dataclass
class Ward:
    town: Town
    first: dict[str, int]
    ill: tuple[str, ...]


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ward]:
    with town(tmp_path_factory.mktemp("stacks") / "town") as here:
        here.guards["settle"] = "2s"
        here.bot("spinner", thresholds=QUICK)
        here.bot("stopped")
        ill = ("spinner", "stopped", *(("perl",) if shutil.which("perl") else ()))
        if "perl" in ill:
            port = free_port()
            start = [shutil.which("perl"), str(PERL), str(here.folder), "perl", str(port)]
            probe = {"http": f"http://127.0.0.1:{port}/health"}
            here.services["perl"] = {"probe": probe, "runtime": {"process": {"start": start}}, "thresholds": QUICK}
        for name in NEIGHBOURS:
            here.bot(name)
        here.start()
        here.until(here.ok, 20, "everybody is well")
        pause(1)
        first = {name: here.pid(name) for name in ill}
        for name in ill[:1] + ill[2:]:
            here.mood(name, "spin")
        os.kill(first["stopped"], signal.SIGSTOP)
        here.until(lambda: all(here.healed(name) for name in ill), 60, "everybody is healed")
        here.until(here.ok, 10, "everybody is well")
        yield Ward(here, first, ill)


def capture(here: Town, name: str) -> Row:
    """The capture of its only run."""
    (run,) = here.runs(name)
    return here.rows("SELECT * FROM steps WHERE run = ? AND action = 'capture_stacks'", run["id"])[0]


def test_a_spinner_is_restarted_once_and_its_incident_names_the_function(ward: Ward) -> None:
    here = ward.town
    assert len(here.starts("spinner")) == 2
    (run,) = here.runs("spinner")
    assert (run["playbook"], run["outcome"]) == ("capture-and-restart-spinning", "healed")
    (incident,) = here.incidents("spinner")
    assert (incident["symptom"], incident["tier"]) == ("cpu_spin", "soft")
    assert "active in count_rows (bot.py:" in capture(here, "spinner")["detail"]
    text = here.text("incident", str(incident["id"]))
    assert "1 process, 1 thread; active in count_rows (bot.py:" in text
    assert "Stacks of " in text
    told = here.ctl("incident", str(incident["id"]))
    (stacks,) = [piece for piece in told["evidence"] if piece["kind"] == "stacks"]
    assert "    count_rows (bot.py:" in stacks["text"]
    assert "    main (bot.py:" in stacks["text"]
    assert str(here.folder) not in stacks["text"], "its command line is not told"


def test_one_that_is_no_python_says_so_and_is_restarted_all_the_same(ward: Ward) -> None:
    if "perl" not in ward.ill:
        pytest.skip("needs perl")
    here = ward.town
    assert len(here.starts("perl")) == 2
    step = capture(here, "perl")
    assert (step["outcome"], step["detail"]) == ("impossible", f"it is no Python: perl (pid {ward.first['perl']})")
    (incident,) = here.incidents("perl")
    assert (incident["symptom"], incident["outcome"]) == ("cpu_spin", "healed")
    assert "it is no Python: perl" in here.text("incident", str(incident["id"]))


def test_one_that_is_stopped_is_captured_without_delay_and_healed(ward: Ward) -> None:
    here = ward.town
    step = capture(here, "stopped")
    assert step["outcome"] == "ok"
    assert "thread; idle in main (bot.py:" in step["detail"]
    assert step["ended_at"] - step["intent_at"] < 6
    assert len(here.starts("stopped")) == 2
    assert not alive(ward.first["stopped"])


def test_nobody_else_was_touched_and_nothing_is_left_stopped(ward: Ward) -> None:
    here = ward.town
    for name in NEIGHBOURS:
        assert len(here.starts(name)) == 1
    stopped = [pid for pid in here.carriers() if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "Tt"]
    assert stopped == []
    assert here.breaches() == []
