"""The whole demo with real processes: every act really happens, and nothing is left whatever ends it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.invariants.checker import Terms, check
from watchdog.clock import Clock
from watchdog.demo.fleet import NAMES, TRIES
from watchdog.demo.keeper import STATE
from watchdog.demo.stage import PREFIX
from watchdog.state.store.open import NAME as STORE

pytestmark = [pytest.mark.live, pytest.mark.timeout(240)]

# Whoever is started in the background ignores Ctrl-C, and so do its children.
COMMAND = ("env", "--default-signal=INT", sys.executable, "-m", "watchdog", "demo")


@contextmanager
def playing(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def processes_of(tmp_path: Path) -> list[str]:
    """Command lines of daemons, keepers and bots of a demo in that folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if f"{tmp_path}/{PREFIX}" in line:
                found.append(line)
    return found


def folder_of(tmp_path: Path) -> Path | None:
    return next(tmp_path.glob(f"{PREFIX}*"), None)


async def wait_for_bots(tmp_path: Path) -> None:
    for _ in range(600):
        folder = folder_of(tmp_path)
        if folder is not None and len(list(folder.glob("starts/*.starts"))) == len(NAMES):
            return
        await Clock().sleep(0.1)
    raise AssertionError("the bots did not come up")


def copied(folder: Path, to: Path) -> None:
    """The store and the counters of the bots as they are now."""
    with closing(sqlite3.connect(f"{(folder / STATE / STORE).as_uri()}?mode=ro", uri=True)) as conn:
        fresh = to / "fresh.db"
        fresh.unlink(missing_ok=True)
        with closing(sqlite3.connect(fresh)) as copy:
            conn.backup(copy)
    for file in folder.glob("starts/*.starts"):
        (to / "starts" / file.name).write_text(file.read_text())
    fresh.rename(to / "last.db")


async def test_every_act_happens_and_the_invariants_hold(short: Path, tmp_path: Path) -> None:
    stage, kept = short / "stage", tmp_path / "kept"
    stage.mkdir()
    (kept / "starts").mkdir(parents=True)
    with playing(stage) as process:
        await wait_for_bots(stage)
        while process.poll() is None:
            folder = folder_of(stage)
            try:
                if folder is not None:
                    copied(folder, kept)
            except (OSError, sqlite3.Error):
                pass  # it is being cleared away
            await Clock().sleep(0.3)
        out, err = process.communicate()
    assert process.returncode == 0, out + err
    assert "\x1b" not in out
    assert "All 5 acts happened" in out
    assert "🔴 Rates Bot down" in out
    assert "$ watchdogctl why report-bot\nreport-bot · ok since" in out
    assert "Parked: Rates Bot" in out
    starts = {name: (kept / "starts" / f"{name}.starts").read_text().count("\n") for name in NAMES}
    ill = {"wa-translator": 2, "postgres": 2, "rates-bot": 1 + TRIES}
    assert starts == {name: ill.get(name, 1) for name in NAMES}
    assert check(kept / "last.db", starts=kept / "starts", terms=Terms(budget=TRIES + 1)) == []
    assert list(stage.iterdir()) == []
    assert processes_of(stage) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)])
async def test_however_it_ends_nothing_is_left(short: Path, number: int, code: int) -> None:
    with playing(short) as process:
        await wait_for_bots(short)
        assert len(processes_of(short)) > len(NAMES)
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == code
    if number != signal.SIGKILL:
        assert out.endswith("Ended early. The daemon and its bots are ended, their folder is removed.\n")
    for _ in range(300):
        if not list(short.iterdir()):
            break
        await Clock().sleep(0.1)
    assert list(short.iterdir()) == []
    assert processes_of(short) == []
