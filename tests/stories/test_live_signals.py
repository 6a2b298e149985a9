"""What befalls the daemon itself: a second one, TERM and HUP at bad moments, a pause of the machine, a clock that jumps."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.tools import need
from tests.stories.harness import CLOCK, ROOT, Town, alive, pause, town

pytestmark = [pytest.mark.live, pytest.mark.timeout(120)]

NAMES = ("a", "b", "c")


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Town]:
    """Three bots that ignore SIGTERM for the three seconds they are given."""
    with town(tmp_path / "town") as made:
        for name in NAMES:
            made.bot(name, "stubborn", term_grace="3s")
        made.start()
        made.until(made.ok, 20, "everybody is well")
        made.until(lambda: made.count("SELECT count(*) FROM runs WHERE ended_at IS NULL") == 0, 10, "all bring-ups are over")
        yield made


def stopping(here: Town, name: str) -> bool:
    """The intent to stop it is on disk, its end is not."""
    return here.count(
        "SELECT count(*) FROM steps s JOIN runs r ON r.id = s.run"
        " WHERE r.service = ? AND s.action = 'stop_process' AND s.ended_at IS NULL",
        name,
    ) > 0


def counts(here: Town) -> dict[str, int]:
    return {name: len(here.starts(name)) for name in here.services}


def test_a_second_daemon_ends_at_once_and_does_nothing(here: Town) -> None:
    pids = {name: here.pid(name) for name in NAMES}
    began = CLOCK.monotonic()
    second = subprocess.run(
        [sys.executable, "-m", "watchdog", "-c", str(here.config), "run"], cwd=ROOT, capture_output=True, text=True, check=False,
        timeout=10,
    )  # fmt: skip
    assert CLOCK.monotonic() - began < 2
    assert second.returncode != 0
    assert "already runs" in second.stderr
    assert "Traceback" not in second.stderr
    pause(2)
    assert {name: here.pid(name) for name in NAMES} == pids
    assert here.daemon is not None
    assert here.daemon.poll() is None
    assert here.ctl("status")["daemon"]["pid"] == here.daemon.pid
    assert here.breaches() == []


@pytest.mark.parametrize("times", [1, 2])
def test_term_in_the_middle_of_a_restart_leaves_a_run_that_the_next_life_ends(here: Town, times: int) -> None:
    here.mood("a", "hang")
    here.until(lambda: stopping(here, "a"), 20, "it is being stopped")
    for _ in range(times):
        here.signal(signal.SIGTERM)
        pause(0.1)
    assert here.end() == 0
    assert "Traceback" not in here.log.read_text()
    here.start()
    here.until(lambda: here.healed("a") and here.ok(), 30, "it is healed")
    assert counts(here) == {"a": 2, "b": 1, "c": 1}
    assert here.breaches() == []


def test_a_bot_outlives_the_daemon_and_is_adopted(here: Town) -> None:
    pids = {name: here.pid(name) for name in NAMES}
    assert here.end() == 0
    pause(0.5)
    assert all(alive(pid) for pid in pids.values())
    here.start()
    here.until(here.ok, 10, "everybody is well")
    pause(3)
    assert counts(here) == dict.fromkeys(NAMES, 1)
    assert here.breaches() == []


@pytest.mark.parametrize("broken", ["services: [", "", None, '{"services": {"a": {"probe": {"htt'])
def test_a_broken_file_changes_nothing_and_is_told(here: Town, broken: str | None) -> None:
    good = here.config.read_text()
    if broken is None:
        here.config.unlink()
    else:
        here.config.write_text(broken)
    here.signal(signal.SIGHUP)
    here.until(lambda: here.said("reload_refused"), 5, "it is refused")
    here.config.with_name("good.yaml").write_text(good)
    here.mood("a", "hang")
    here.until(lambda: here.healed("a"), 30, "the old configuration heals")
    assert here.count("SELECT count(*) FROM notices WHERE tier = 'critical'") == 1
    here.config.write_text(good)
    here.signal(signal.SIGHUP)
    here.until(lambda: here.said("reloaded"), 5, "the mended file is taken")
    assert here.ctl("status")["daemon"]["config"]["errors"] == []
    assert counts(here) == {"a": 2, "b": 1, "c": 1}


def test_a_storm_of_hangups_and_a_reload_during_a_run(here: Town) -> None:
    here.mood("a", "hang")
    here.until(lambda: stopping(here, "a"), 20, "it is being stopped")
    here.bot("d")
    here.services["b"]["startup_grace"] = "3s"
    here.write()
    for _ in range(50):
        here.signal(signal.SIGHUP)
        pause(0.005)
    here.until(lambda: here.healed("a") and here.ok("a", "b", "c", "d"), 30, "it is healed, and the new one is up")
    assert counts(here) == {"a": 2, "b": 1, "c": 1, "d": 1}
    (run,) = here.runs("a")
    assert (run["playbook"], run["outcome"]) == ("restart-unresponsive", "healed")
    del here.services["c"]
    here.write()
    here.signal(signal.SIGHUP)
    here.until(lambda: len(here.ctl("status")["services"]) == 3, 10, "it is no longer watched")
    assert alive(here.pid("c")), "its bot keeps running"
    assert here.breaches() == []


def test_a_reload_that_changes_a_bot_in_the_middle_of_its_restart_leaves_nothing_dead(here: Town) -> None:
    here.mood("a", "hang")
    here.until(lambda: stopping(here, "a"), 20, "it is being stopped")
    here.services["a"]["runtime"]["process"]["env"] = {"NEW": "1"}
    here.write()
    here.signal(signal.SIGHUP)
    here.until(lambda: len(here.starts("a")) == 2 and here.ok("a"), 30, "it is up again")
    pause(3)
    (run,) = here.runs("a")
    assert run["outcome"] == "superseded"
    assert counts(here) == {"a": 2, "b": 1, "c": 1}
    assert here.breaches() == []


def test_a_daemon_that_was_stopped_for_twenty_seconds_asks_afresh_and_acts_on_nothing_old(here: Town) -> None:
    here.mood("a", "hang")
    here.until(lambda: here.count("SELECT count(*) FROM incidents WHERE service = 'a'") > 0, 10, "it failed once")
    pause(1)
    here.signal(signal.SIGSTOP)
    (here.folder / "moods" / "a").unlink()
    pause(20)
    woken = CLOCK.now()
    here.signal(signal.SIGCONT)
    pause(6)
    for name in NAMES:
        soon = [at for at in here.asked(name) if woken <= at < woken + 1]
        assert len(soon) <= 2, f"{name} was asked {len(soon)} times within a second"
    assert here.ok()
    assert counts(here) == dict.fromkeys(NAMES, 1)
    here.mood("b", "hang")
    here.until(lambda: here.healed("b"), 20, "it heals as before")
    assert here.breaches() == []


def test_a_bot_that_died_while_the_daemon_was_stopped_is_started_once(here: Town) -> None:
    here.signal(signal.SIGSTOP)
    os.kill(here.pid("a"), signal.SIGKILL)
    pause(6)
    here.signal(signal.SIGCONT)
    here.until(lambda: here.healed("a"), 20, "it is back")
    assert counts(here) == {"a": 2, "b": 1, "c": 1}
    assert here.breaches() == []


def test_a_clock_that_jumps_hours_restarts_nobody(tmp_path: Path) -> None:
    library = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
    if library is None:
        need("faketime")
        pytest.skip("libfaketime is not where it is looked for")
    shift = tmp_path / "shift"
    shift.write_text("+0\n")
    fake = {
        "LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(shift), "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1",
    }  # fmt: skip
    with town(tmp_path / "town") as here:
        here.bot("a")
        here.bot("b", "stubborn")
        here.start(env=fake)
        here.until(here.ok, 20, "everybody is well")
        for moment in ("+3h", "-2h", "+12y", "+0"):
            shift.write_text(f"{moment}\n")
            pause(4)
            assert here.daemon is not None
            assert here.daemon.poll() is None, here.report()
        assert counts(here) == {"a": 1, "b": 1}
        assert here.rows("SELECT * FROM incidents WHERE confirmed_at IS NOT NULL") == []
        shift.write_text("-1h\n")
        pause(2)
        here.mood("b", "hang")
        here.until(lambda: len(here.starts("b")) == 2 and here.healed("b"), 30, "it still heals")
        assert counts(here) == {"a": 1, "b": 2}


def test_a_line_of_the_log_is_json_each(here: Town) -> None:
    lines = here.log.read_text().splitlines()
    events = [json.loads(line)["event"] for line in lines if line.startswith("{")]
    assert "ready" in events
    assert len(events) >= len(lines) - 1
