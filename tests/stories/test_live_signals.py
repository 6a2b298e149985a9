"""What befalls the daemon itself: a second one, TERM and HUP at bad moments, a pause of the machine, a clock that jumps.

One town for all but the clock; each test has bots of its own and sees that the others are left alone.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep as pause

import pytest

from tests.fakes.bots import alive
from tests.fakes.tools import need
from tests.stories.harness import CLOCK, ROOT, Town, town

pytestmark = [pytest.mark.live, pytest.mark.timeout(120)]

BOTS = ("term", "twice", "file", "storm", "changed", "dropped", "cured", "died", "well")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """Bots that ignore SIGTERM for the two seconds they are given."""
    with town(tmp_path_factory.mktemp("signals") / "town") as made:
        for name in BOTS:
            made.bot(name, "stubborn", term_grace="2s")
        made.start()
        made.until(lambda: made.ok() and no_run(made), 30, "everybody is well")
        yield made


def no_run(here: Town) -> bool:
    return here.count("SELECT count(*) FROM runs WHERE ended_at IS NULL") == 0


def stopping(here: Town, name: str) -> bool:
    """The intent to stop it is on disk, its end is not."""
    return here.count(
        "SELECT count(*) FROM steps s JOIN runs r ON r.id = s.run"
        " WHERE r.service = ? AND s.action = 'stop_process' AND s.ended_at IS NULL",
        name,
    ) > 0  # fmt: skip


@contextmanager
def only(here: Town, *restarted: str) -> Iterator[None]:
    """These are restarted once, everybody else not at all; and the outside checker finds nothing."""
    before = counts(here)
    yield
    wanted = {name: count + (name in restarted) for name, count in before.items()}
    assert {name: count for name, count in counts(here).items() if name in before} == wanted, here.report()
    assert here.breaches() == []


def counts(here: Town) -> dict[str, int]:
    return {name: len(here.starts(name)) for name in here.services}


def test_a_second_daemon_ends_at_once_and_does_nothing(here: Town) -> None:
    with only(here):
        began = CLOCK.monotonic()
        argv = [sys.executable, "-m", "watchdog", "-c", str(here.config), "run"]
        second = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False, timeout=10)
        assert CLOCK.monotonic() - began < 2
        assert second.returncode != 0
        assert "already runs" in second.stderr
        assert "Traceback" not in second.stderr
        pause(1)
    assert here.daemon is not None
    assert here.ctl("status")["daemon"]["pid"] == here.daemon.pid


@pytest.mark.parametrize(("name", "times"), [("term", 1), ("twice", 2)])
def test_term_in_the_middle_of_a_restart_leaves_a_run_that_the_next_life_ends(here: Town, name: str, times: int) -> None:
    with only(here, name):
        here.mood(name, "hang")
        here.until(lambda: stopping(here, name), 20, "it is being stopped")
        for _ in range(times - 1):
            here.signal(signal.SIGTERM)
            pause(0.05)
        assert here.end() == 0
        assert "Traceback" not in here.log.read_text()
        here.start(ready=False)
        here.until(lambda: here.healed(name), 30, "it is healed")


def test_bots_outlive_the_daemon_and_are_adopted(here: Town) -> None:
    with only(here):
        assert here.end() == 0
        pause(0.5)
        assert all(alive(here.pid(name)) for name in here.services)
        here.start()
        pause(3)
        assert here.ok()


def test_a_broken_file_changes_nothing_and_is_told(here: Town) -> None:
    good = here.config.read_text()
    with only(here, "file"):
        here.mood("file", "hang")
        for number, broken in enumerate(["services: [", "", None, '{"services": {"file": {"probe": {"htt'], 1):
            here.config.unlink() if broken is None else here.config.write_text(broken)
            here.signal(signal.SIGHUP)
            here.until(lambda: here.log.read_text().count('"reload_refused"') == number, 5, f"{broken} is refused")  # noqa: B023
        told = here.rows("SELECT * FROM notices WHERE tier = 'critical'")
        assert len(told) >= 1
        assert all("configuration" in notice["text"] for notice in told)
        here.until(lambda: here.healed("file"), 30, "the old configuration heals")
        here.config.write_text(good)
        here.signal(signal.SIGHUP)
        here.until(lambda: here.said("reloaded"), 5, "the mended file is taken")
        assert here.ctl("status")["daemon"]["config"]["errors"] == []


def test_a_storm_of_hangups_and_a_reload_during_a_run(here: Town) -> None:
    with only(here, "storm"):
        here.mood("storm", "hang")
        here.until(lambda: stopping(here, "storm"), 20, "it is being stopped")
        here.bot("new")
        here.services["well"]["startup_grace"] = "3s"
        here.write()
        for _ in range(50):
            here.signal(signal.SIGHUP)
            pause(0.005)
        here.until(lambda: here.healed("storm") and here.ok(), 30, "it is healed, and the new one is up")
        (run,) = here.runs("storm")
        assert (run["playbook"], run["outcome"]) == ("restart-unresponsive", "healed")
    assert len(here.starts("new")) == 1


def test_a_reload_that_changes_and_drops_bots_in_the_middle_of_their_restart_leaves_nothing_dead(here: Town) -> None:
    with only(here, "changed", "dropped"):
        for name in ("changed", "dropped"):
            here.mood(name, "hang")
        here.until(lambda: stopping(here, "changed") and stopping(here, "dropped"), 20, "both are being stopped")
        here.services["changed"]["runtime"]["process"]["env"] = {"NEW": "1"}
        dropped = here.services.pop("dropped")
        here.write()
        here.services["dropped"] = dropped
        here.signal(signal.SIGHUP)
        here.until(lambda: len(here.starts("changed")) == 2 and here.ok("changed"), 30, "it is up again")
        here.until(lambda: no_run(here), 20, "no run is open")
        assert [run["outcome"] for name in ("changed", "dropped") for run in here.runs(name)] == ["superseded"] * 2
        assert alive(here.pid("dropped")), "its bot keeps running"
        assert [each["outcome"] for each in here.incidents("dropped")] == ["removed"]


def test_a_daemon_that_was_stopped_for_twenty_seconds_asks_afresh_and_acts_on_nothing_old(here: Town) -> None:
    with only(here, "died"):
        here.mood("cured", "hang")
        here.until(lambda: here.count("SELECT count(*) FROM incidents WHERE service = 'cured'") > 0, 10, "it failed once")
        pause(1)
        here.signal(signal.SIGSTOP)
        (here.folder / "moods" / "cured").unlink()
        os.kill(here.pid("died"), signal.SIGKILL)
        pause(20)
        woken = CLOCK.now()
        here.signal(signal.SIGCONT)
        here.until(lambda: here.healed("died"), 20, "the one that died is back")
        for name in BOTS:
            soon = [at for at in here.asked(name) if woken <= at < woken + 1]
            assert len(soon) <= 2 + 2 * (name == "died"), f"{name} was asked {len(soon)} times within a second"
        here.until(lambda: here.ok("cured", "died", "well"), 10, "everybody is well")


def test_each_line_of_the_log_is_json(here: Town) -> None:
    lines = here.log.read_text().splitlines()
    events = [json.loads(line)["event"] for line in lines if not line.startswith("configuration:")]
    assert "started" in events


def test_a_clock_that_jumps_hours_restarts_nobody(tmp_path: Path) -> None:
    library = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
    if library is None:
        need("faketime")
        pytest.skip("libfaketime is not where it is looked for")
    shift = tmp_path / "shift"
    shift.write_text("+0\n")
    fake = {"LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(shift), "FAKETIME_NO_CACHE": "1"}
    with town(tmp_path / "town") as made:
        made.bot("a")
        made.bot("b", "stubborn")
        made.start(env=fake | {"FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"})
        made.until(made.ok, 20, "everybody is well")
        for moment in ("+3h", "-2h", "+12y", "+0"):
            shift.write_text(f"{moment}\n")
            pause(3)
            assert made.daemon is not None
            assert made.daemon.poll() is None, made.report()
        assert counts(made) == {"a": 1, "b": 1}
        assert made.rows("SELECT * FROM incidents WHERE confirmed_at IS NOT NULL") == []
        shift.write_text("-1h\n")
        made.mood("b", "hang")
        made.until(lambda: len(made.starts("b")) == 2 and made.healed("b"), 30, "it still heals")
        assert counts(made) == {"a": 1, "b": 2}
