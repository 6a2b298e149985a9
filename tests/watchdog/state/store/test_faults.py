"""F01, F05, F06 and F42 on a real disk: the process is killed or starved from outside, then what it left is judged."""

from __future__ import annotations

import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.fakes.records import T
from tests.fakes.tools import need
from tests.invariants.checker import check
from watchdog.state.store.open import NAME, open_store

ROOT = Path(__file__).parents[4]
CHILD = (sys.executable, "-m", "tests.fakes.store_child")
ROUNDS = 2
MOST = 400
"""More writes than the child ever makes."""


def child(*before: str, folder: Path, acks: Path, rounds: int = ROUNDS, reserve: int = 64 * 1024) -> int:
    command = [*before, *CHILD, str(folder), str(acks), str(rounds), str(reserve)]
    return subprocess.run(command, cwd=ROOT, check=False, timeout=60).returncode


def traced(call: str, fault: str) -> tuple[str, ...]:
    return ("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:{fault}")


def lines(acks: Path) -> list[str]:
    return acks.read_text().splitlines() if acks.exists() else []


def rows(path: Path) -> set[str]:
    """What is on disk, in the words of the child."""
    with closing(sqlite3.connect(path)) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        found = {f"incident {row[0]}" for row in conn.execute("SELECT id FROM incidents")}
        found |= {f"intent {row[0]}" for row in conn.execute("SELECT run FROM steps")}
        return found | {f"outcome {row[0]}" for row in conn.execute("SELECT id FROM runs WHERE outcome = 'healed'")}


async def judge(folder: Path, acks: Path) -> None:
    """After any death: opened as it is, whole, every acknowledged row there, and the invariants hold."""
    said = lines(acks)
    opened = open_store(folder, now=lambda: T, reserve_size=4096)
    await opened.store.close()
    assert opened.set_aside is None, opened.why
    assert {line for line in said if line.split()[0] in ("incident", "intent", "outcome")} <= rows(folder / NAME)
    assert check(folder / NAME) == []


@pytest.mark.sweep
@pytest.mark.timeout(600)
@pytest.mark.parametrize("call", ["pwrite64", "fdatasync", "rename"])
@pytest.mark.parametrize("start", ["first start", "later start"])
async def test_f01_killed_at_every_write_no_acknowledged_row_is_lost(tmp_path: Path, start: str, call: str) -> None:
    need("strace")
    if start == "later start":
        assert child(folder=tmp_path / "model", acks=tmp_path / "model.acks") == 0
    killed = 0
    for number in range(1, MOST):
        folder, acks = tmp_path / f"at-{number}", tmp_path / f"{number}.acks"
        if start == "later start":
            shutil.copytree(tmp_path / "model", folder)
        code = child(*traced(call, f"signal=KILL:when={number}"), folder=folder, acks=acks)
        if folder.exists():
            await judge(folder, acks)
        shutil.rmtree(folder, ignore_errors=True)
        if code == 0:
            break
        assert code in (-signal.SIGKILL, 128 + signal.SIGKILL)
        killed += 1
    else:
        pytest.fail("the sweep never came to its end")
    assert killed >= {"pwrite64": 20, "fdatasync": 10, "rename": 0 if start == "later start" else 1}[call]


@pytest.mark.sweep
@pytest.mark.parametrize("number", [1, 3, 6])
async def test_f05_when_the_disk_no_longer_syncs_the_daemon_goes_on_and_says_so(tmp_path: Path, number: int) -> None:
    need("strace")
    folder, acks = tmp_path / "state", tmp_path / "acks"
    assert child(folder=folder, acks=tmp_path / "before.acks") == 0
    assert child(*traced("fdatasync", f"error=EIO:when={number}+"), folder=folder, acks=acks) == 0
    said = lines(acks)
    assert any(line.startswith("lost: the state file cannot be written") for line in said)
    assert said[-1] == "closed healthy=False"
    await judge(folder, acks)


@pytest.mark.sweep
@pytest.mark.parametrize("number", [3, 8, 14])
async def test_f05_when_no_write_finds_space_the_daemon_goes_on_and_says_so(tmp_path: Path, number: int) -> None:
    need("strace")
    folder, acks = tmp_path / "state", tmp_path / "acks"
    assert child(folder=folder, acks=tmp_path / "before.acks") == 0
    assert child(*traced("pwrite64", f"error=ENOSPC:when={number}+"), folder=folder, acks=acks) == 0
    said = lines(acks)
    assert any("full" in line or "I/O" in line for line in said if line.startswith("lost:"))
    assert said[-1] == "closed healthy=False"
    assert not (folder / "reserve").exists(), "it was given back"
    await judge(folder, acks)


ON_TMPFS = r"""
import asyncio, os, sys
from pathlib import Path
from tests.fakes.records import T, incident
from watchdog.errors import StoreUnavailable
from watchdog.model.records import Evidence
from watchdog.state.store.open import NAME, open_store
from watchdog.state.store.reader import Reader

disk = Path(sys.argv[1])

async def commits(store, *numbers):
    done = []
    for number in numbers:
        store.put(incident(number))
        store.put(Evidence(number, "bot", None, T, "evidence", os.urandom(8000).hex()))
        try:
            await store.commit()
            done.append(number)
        except StoreUnavailable as error:
            assert "full" in str(error) or "I/O" in str(error) or "unable to open" in str(error), error
    return done

def fill():
    with open(disk / "filler", "ab", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError as error:
            assert error.errno == 28, error

async def main():
    opened = open_store(disk / "state", now=lambda: T, reserve_size=512 * 1024)
    store = opened.store
    assert opened.why == "" and (disk / "state" / "reserve").exists()
    assert await commits(store, 1, 2) == [1, 2]
    fill()
    on_reserve = await commits(store, *range(3, 13))
    assert on_reserve == list(range(3, 13)), on_reserve
    assert not (disk / "state" / "reserve").exists()
    print("journalled on the reserve", flush=True)
    fill()
    lost = await commits(store, *range(13, 60))
    assert len(lost) < 47 and not store.healthy
    print("unavailable without it", flush=True)
    os.unlink(disk / "filler")
    assert await commits(store, 60) == [60] and store.healthy
    assert (disk / "state" / "reserve").exists()
    await store.close()
    with Reader.open(disk / "state" / NAME) as reader:
        assert sorted(one.id for one in reader.incidents()) == list(range(1, 61))
        assert reader._conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    print("nothing lost once there was space", flush=True)

asyncio.run(main())
"""

WITHOUT_INODES = r"""
import asyncio, sys
from pathlib import Path
from tests.fakes.records import T, incident
from watchdog.errors import StoreUnavailable
from watchdog.state.store.open import open_store

disk = Path(sys.argv[1])

async def main():
    (disk / "state").mkdir()
    names = iter(range(1000))
    try:
        while True:
            (disk / f"file-{next(names)}").touch()
    except OSError as error:
        assert error.errno == 28, error
    opened = open_store(disk / "state", now=lambda: T, reserve_size=4096)
    assert opened.fresh and "No space left" in opened.why, opened.why
    opened.store.put(incident(1))
    try:
        await opened.store.commit()
    except StoreUnavailable:
        print("unavailable", flush=True)
    for file in disk.glob("file-*"):
        file.unlink()
    await opened.store.commit()
    assert opened.store.healthy
    await opened.store.close()
    print("back by itself", flush=True)

asyncio.run(main())
"""

READ_ONLY = r"""
import asyncio, subprocess, sys
from pathlib import Path
from tests.fakes.records import T, incident
from watchdog.errors import StoreUnavailable
from watchdog.state.store.open import open_store

disk = Path(sys.argv[1])

async def main():
    opened = open_store(disk / "state", now=lambda: T, reserve_size=4096)
    opened.store.put(incident(1))
    await opened.store.commit()
    await opened.store.close()
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    opened = open_store(disk / "state", now=lambda: T, reserve_size=4096)
    assert "cannot be written" in opened.why and opened.set_aside is None and not opened.store.healthy, opened
    assert [one.id for one in opened.loaded.incidents] == [1] and not opened.fresh
    opened.store.put(incident(2))
    try:
        await opened.store.commit()
    except StoreUnavailable:
        print("remembers, cannot write", flush=True)
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    await opened.store.commit()
    assert opened.store.healthy and opened.store.renewal is None, (opened.store.trouble, opened.store.renewal)
    with opened.store.reader() as reader:
        assert [one.id for one in reader.incidents()] == [2, 1]
    await opened.store.close()
    print("back by itself", flush=True)

asyncio.run(main())
"""


def on_tmpfs(folder: Path, options: str, film: str) -> list[str]:
    """Run a film on a small disk of its own, mounted in a mount namespace that ends with it."""
    need("unshare", "mount", root=True)
    mount = f'mount -t tmpfs -o {options} tmpfs "{folder}" && exec "$0" -c "$1" "{folder}"'
    command = ["unshare", "-m", "sh", "-c", mount, sys.executable, film]
    done = subprocess.run(
        command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=60, env={"PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.live
def test_f06_on_a_full_disk_the_reserve_carries_the_journal_and_nothing_is_lost_afterwards(tmp_path: Path) -> None:
    assert on_tmpfs(tmp_path, "size=4m", ON_TMPFS) == [
        "journalled on the reserve",
        "unavailable without it",
        "nothing lost once there was space",
    ]


@pytest.mark.live
def test_f06_without_inodes_the_daemon_starts_and_the_store_comes_back_by_itself(tmp_path: Path) -> None:
    assert on_tmpfs(tmp_path, "size=4m,nr_inodes=12", WITHOUT_INODES) == ["unavailable", "back by itself"]


@pytest.mark.live
def test_f04_on_a_read_only_disk_it_remembers_and_the_store_comes_back_by_itself(tmp_path: Path) -> None:
    assert on_tmpfs(tmp_path, "size=4m", READ_ONLY) == ["remembers, cannot write", "back by itself"]


STARVED = r"""
import asyncio, os, resource, sys
from pathlib import Path
from tests.fakes.records import T, incident
from watchdog.errors import StoreUnavailable
from watchdog.state.store.open import open_store

folder = Path(sys.argv[1])

async def main():
    opened = open_store(folder, now=lambda: T, reserve_size=4096)
    opened.store.put(incident(1))
    await opened.store.commit()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    opened.store.put(incident(2))
    await opened.store.commit()
    print("goes on with what it has open", flush=True)
    second = open_store(folder, now=lambda: T, reserve_size=4096)
    assert second.set_aside is None and "cannot be written" in second.why, second
    second.store.put(incident(1, "other"))
    try:
        await second.store.commit()
    except StoreUnavailable:
        print("a start without descriptors puts nothing aside", flush=True)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    await opened.store.close()

asyncio.run(main())
"""


@pytest.mark.live
def test_f42_without_descriptors_the_store_goes_on_and_judges_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STARVED, str(tmp_path)], cwd=ROOT, check=False, capture_output=True, text=True, timeout=30
    )
    assert done.stdout.splitlines() == [
        "goes on with what it has open",
        "a start without descriptors puts nothing aside",
    ], done.stderr
    assert not [file for file in tmp_path.iterdir() if re.search("aside", file.name)]
