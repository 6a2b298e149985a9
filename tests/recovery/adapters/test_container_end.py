"""A container is ended from the host as Docker would end it, and nobody else is touched."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from recovery.adapters import procfs
from recovery.adapters.cgroups import Cgroup
from recovery.adapters.container_end import ContainerEnd, signal_name, signal_number
from recovery.adapters.processes import Held, hold
from recovery.adapters.procfs import Identity
from recovery.errors import StepFailed, StepImpossible, Superseded
from tests.fakes.bots import alive
from watchdog.clock import Clock

BOOT = procfs.boot_id()

PLAIN = "import time; print(flush=True); time.sleep(60)"
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(60)"
ON_INT = "import signal, sys, time; signal.signal(signal.SIGINT, lambda *_: sys.exit(3)); print(flush=True); time.sleep(60)"


class Box:
    """A cgroup of plain files with real processes in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.group = Cgroup({"": folder})
        self.all: list[subprocess.Popen[bytes]] = []
        (folder / "cgroup.freeze").write_text("0\n")

    def run(self, code: str, *, inside: bool = True) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, "-S", "-E", "-c", code], stdout=subprocess.PIPE)
        self.all.append(process)
        assert process.stdout is not None
        process.stdout.readline()
        if inside:
            self.enter(process.pid)
        return process

    def enter(self, pid: int) -> None:
        with (self.folder / "cgroup.procs").open("a") as members:
            members.write(f"{pid}\n")

    async def end(self, main: int, grace: float, *, stop_signal: str = "SIGTERM", kill: bool = True) -> str:
        with held(main) as one:
            return await ContainerEnd(one, self.group, stop_signal, BOOT, Clock()).run(grace, kill=kill)


def held(pid: int) -> Held:
    stat = procfs.read_stat(pid)
    assert stat is not None
    one = hold(Identity(pid, stat.start_ticks, BOOT), BOOT)
    assert one is not None
    return one


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    one = Box(tmp_path)
    yield one
    for process in one.all:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


async def test_the_main_process_alone_is_asked_to_end_and_who_it_leaves_behind_is_killed(box: Box) -> None:
    main, other = box.run(PLAIN), box.run(PLAIN)
    said = await box.end(main.pid, 5)
    assert said.startswith("ended by SIGTERM")
    assert said.endswith("1 that it left behind killed")
    assert (main.wait(), other.wait()) == (-signal.SIGTERM, -signal.SIGKILL)


async def test_a_deaf_one_takes_its_grace_and_is_killed(box: Box) -> None:
    main = box.run(DEAF)
    assert await box.end(main.pid, 0.2) == "SIGTERM was ignored for 0.2 s, 1 killed"
    assert main.wait() == -signal.SIGKILL


async def test_it_is_asked_in_its_own_way(box: Box) -> None:
    main = box.run(ON_INT)
    assert (await box.end(main.pid, 5, stop_signal="INT")).startswith("ended by SIGINT")
    assert main.wait() == 3


async def test_without_kill_it_is_left_alone(box: Box) -> None:
    main, other = box.run(DEAF), box.run(PLAIN)
    with pytest.raises(StepFailed, match=r"still running 100 ms after SIGTERM; left alone"):
        await box.end(main.pid, 0.1, kill=False)
    assert alive(main.pid)
    assert alive(other.pid)


async def test_a_stopped_one_is_continued_so_that_it_can_end_by_itself(box: Box) -> None:
    main = box.run(PLAIN)
    os.kill(main.pid, signal.SIGSTOP)
    while (procfs.read_stat(main.pid) or pytest.fail("gone")).state != "T":
        await asyncio.sleep(0.01)
    assert (await box.end(main.pid, 5)).startswith("ended by SIGTERM")


async def test_f44_one_that_is_paused_meanwhile_is_somebody_elses(box: Box) -> None:
    main = box.run(DEAF)
    ending = asyncio.ensure_future(box.end(main.pid, 0.2))
    await asyncio.sleep(0.05)
    (box.folder / "cgroup.freeze").write_text("1\n")
    with pytest.raises(Superseded, match="somebody paused it"):
        await ending
    assert alive(main.pid)


async def test_who_appears_while_it_takes_its_time_is_killed_too(box: Box) -> None:
    main = box.run(DEAF)
    ending = asyncio.ensure_future(box.end(main.pid, 0.3))
    await asyncio.sleep(0.05)
    late = box.run(DEAF)
    assert (await ending).endswith("1 that it left behind killed")
    assert late.wait() == -signal.SIGKILL


async def test_the_next_instance_in_the_same_cgroup_is_not_touched(box: Box) -> None:
    main = box.run(PLAIN)
    ending = asyncio.ensure_future(box.end(main.pid, 5))
    await asyncio.sleep(0)
    main.wait()
    again = box.run(PLAIN)  # the loop sees the death only now
    assert (await ending).startswith("ended by SIGTERM")
    assert alive(again.pid)


async def test_neither_we_nor_those_we_descend_from_are_signalled_whatever_the_cgroup_says(box: Box) -> None:
    for pid in (1, os.getpid(), os.getppid()):
        box.enter(pid)
    main = box.run(PLAIN)
    assert "left behind" not in await box.end(main.pid, 5)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become nobody")
async def test_f34_one_whom_we_may_not_signal_is_impossible(box: Box) -> None:
    main = box.run(PLAIN)
    os.setresuid(65534, 65534, 0)
    try:
        with pytest.raises(StepImpossible, match=f"not permitted to signal pid {main.pid}"):
            await box.end(main.pid, 1)
    finally:
        os.setresuid(0, 0, 0)
    assert alive(main.pid)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a pid namespace everywhere")
async def test_process_1_of_its_own_namespace_takes_all_with_it(box: Box) -> None:
    code = "import signal,subprocess; subprocess.Popen(['sleep','60']); signal.signal(15, signal.SIG_DFL); signal.pause()"
    with subprocess.Popen(["unshare", "--pid", "--fork", sys.executable, "-S", "-E", "-c", code]) as outer:
        children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children")
        async with asyncio.timeout(5):
            while not (found := children.read_text().split()):
                await asyncio.sleep(0.01)
            main = int(found[0])
            while not (inner := Path(f"/proc/{main}/task/{main}/children").read_text().split()):
                await asyncio.sleep(0.01)
        for pid in (main, int(inner[0])):
            box.enter(pid)
        # Without a handler it does not even hear SIGTERM.
        assert await box.end(main, 0.2) == "SIGTERM was ignored for 0.2 s, 1 killed"
        assert not alive(int(inner[0]))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("SIGTERM", 15),
        ("TERM", 15),
        ("sigint", 2),
        ("9", 9),
        ("SIGRTMIN+3", signal.SIGRTMIN + 3),
        ("", 15),
        ("NONE", 15),
        ("999", 15),
    ],
)
def test_a_stop_signal_is_read_as_docker_reads_it(text: str, number: int) -> None:
    assert signal_number(text) == number


def test_a_real_time_signal_has_no_name_of_its_own() -> None:
    assert signal_name(signal.SIGRTMIN + 3) == f"signal {signal.SIGRTMIN + 3}"
