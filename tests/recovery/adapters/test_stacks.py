"""Stacks of real processes: what they do, why there are none, and that nobody is left stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic
from time import sleep as pause

import pytest

from recovery.adapters import procfs
from recovery.adapters.processes import ProcessTable
from recovery.adapters.procfs import Identity
from recovery.adapters.stacks import Spy, installed, is_python
from recovery.errors import StepFailed, StepImpossible
from tests.fakes.bots import alive, target, zombies_of_ours
from watchdog.clock import Clock

CLOCK = Clock()
TABLE = ProcessTable(CLOCK)


class Cage:
    """Processes that are gone after the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pids: list[int] = []

    def start(self, *argv: str | Path) -> int:
        child = subprocess.Popen(list(map(str, argv)), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        child.returncode = 0
        self.pids.append(child.pid)
        return child.pid

    def spinner(self, *options: str) -> list[int]:
        """The pids of a bot at work, its child first."""
        file = self.folder / f"{len(self.pids)}.pids"
        self.start(*target("spinner", file, *options))
        return self.ready(file, 1 + len(options))

    def ready(self, file: Path, count: int) -> list[int]:
        until = monotonic() + 10
        while not file.exists() or file.read_text().count("\n") < count:
            assert monotonic() < until
            pause(0.01)
        found = [int(line) for line in file.read_text().split()]
        self.pids += found
        return found

    def program(self, text: str) -> str:
        """A stand-in for py-spy."""
        path = self.folder / f"py-spy-{len(text)}"
        path.write_text(f"#!{sys.executable} -SE\n{textwrap.dedent(text)}")
        path.chmod(0o755)
        return str(path)


@pytest.fixture
def cage(tmp_path: Path) -> Iterator[Cage]:
    made = Cage(tmp_path)
    yield made
    for pid in made.pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for pid in made.pids:
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)


def identity(pid: int) -> Identity:
    stat = procfs.read_stat(pid)
    assert stat is not None
    return Identity(pid, stat.start_ticks, TABLE.boot_id)


def spy(program: str | None = None, blocking: float = 3.0, nonblocking: float = 3.0) -> Spy:
    return Spy(TABLE, CLOCK, program, blocking, nonblocking)


def wait_for_state(pid: int, states: str) -> None:
    until = monotonic() + 5
    while not set(procfs.thread_states(pid)) <= set(states):
        assert monotonic() < until
        pause(0.01)


async def test_a_bot_at_work_is_named_with_its_function_and_its_locals_are_not_read(cage: Cage) -> None:
    (pid,) = cage.spinner()
    began = monotonic()
    stacks = await spy().capture([identity(pid)])
    assert stacks.line.startswith("1 process, 2 threads; active in parse (spinner.py:")
    assert "loop: idle in select: nothing blocks this thread" in stacks.text
    assert "Python 3." in stacks.text
    assert "canary" not in stacks.text
    assert monotonic() - began < 2
    assert "T" not in procfs.thread_states(pid)


async def test_every_python_of_the_tree_is_seen_also_below_a_shell(cage: Cage) -> None:
    file = cage.folder / "below"
    argv = " ".join(target("spinner", file, "child"))
    shell = cage.start("sh", "-c", f"{argv} & wait")
    pids = cage.ready(file, 2)
    stacks = await spy().capture([identity(shell), *map(identity, pids)])
    assert stacks.line.startswith("2 processes, 3 threads; active in ")
    assert "parse (spinner.py" in stacks.text
    assert "translate (spinner.py" in stacks.text
    assert "(sh)" not in stacks.text


async def test_what_is_no_python_is_impossible_with_its_name(cage: Cage) -> None:
    pid = cage.start("sleep", "60")
    with pytest.raises(StepImpossible, match=rf"^it is no Python: sleep \(pid {pid}\)$"):
        await spy().capture([identity(pid)])


async def test_a_tree_that_is_gone_is_a_failed_step(cage: Cage) -> None:
    pid = cage.start("sleep", "60")
    gone = identity(pid)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with pytest.raises(StepFailed, match="nothing of it runs any more"):
        await spy().capture([gone])


async def test_a_stopped_one_is_read_as_it_is_and_stays_stopped(cage: Cage) -> None:
    (pid,) = cage.spinner()
    os.kill(pid, signal.SIGSTOP)
    wait_for_state(pid, "T")
    stacks = await spy().capture([identity(pid)])
    assert "parse (spinner.py" in stacks.line
    assert "it is stopped" in stacks.text
    assert set(procfs.thread_states(pid)) == {"T"}, "somebody wanted it so"


async def test_one_that_py_spy_left_stopped_runs_on(cage: Cage) -> None:
    (pid,) = cage.spinner()
    program = cage.program("""
        import os, signal, sys, time
        os.kill(int(sys.argv[3]), signal.SIGSTOP)
        time.sleep(60)
    """)
    with pytest.raises(StepFailed, match="py-spy did not end in time"):
        await spy(program, 0.5, 0.5).capture([identity(pid)])
    wait_for_state(pid, "RS")
    assert alive(pid)
    assert zombies_of_ours() == []


async def test_after_a_hung_look_the_next_does_not_stop_its_target(cage: Cage) -> None:
    (pid,) = cage.spinner()
    program = cage.program("""
        import sys, time
        if "--nonblocking" not in sys.argv:
            time.sleep(60)
        assert "--locals" not in sys.argv
        print('Thread 1 (active): "MainThread"\\n    parse (/srv/bot.py:41)')
    """)
    stacks = await spy(program, 0.5).capture([identity(pid)])
    assert stacks.line == "1 process, 1 thread; active in parse (bot.py:41)"
    assert "read while it ran on" in stacks.text


async def test_the_deadline_of_the_whole_is_kept_and_says_who_was_not_seen(cage: Cage) -> None:
    pids = [cage.spinner()[0] for _ in range(2)]
    program = cage.program(f"""
        import sys, time
        if sys.argv[3] == "{pids[0]}":
            time.sleep(60)
        print('Thread 1 (active): "MainThread"\\n    parse (/srv/bot.py:41)')
    """)
    began = monotonic()
    stacks = await spy(program).capture(list(map(identity, pids)), within=1.0)
    assert monotonic() - began < 2.5
    assert stacks.line == "1 process, 1 thread; active in parse (bot.py:41); 1 not seen: no time was left for it"
    assert zombies_of_ours() == []


async def test_a_flood_of_output_is_capped_and_an_odd_one_fails(cage: Cage) -> None:
    (pid,) = cage.spinner()
    flood = cage.program("print('Thread 1 (active): \"MainThread\"'); [print('    f (/srv/bot.py:1)') for _ in range(100_000)]")
    assert len((await spy(flood).capture([identity(pid)])).text) < 2000
    many = cage.program("[print(f'Thread {n} (active)\\n    f (/srv/bot.py:1)') for n in range(100_000)]")
    counted = int((await spy(many).capture([identity(pid)])).line.split()[2])
    assert 1000 < counted < 30_000, "what was printed in between was never kept"
    odd = cage.program("print('hello')")
    with pytest.raises(StepFailed, match="it named no thread"):
        await spy(odd).capture([identity(pid)])


async def test_without_py_spy_it_is_impossible_and_the_path_is_not_asked(cage: Cage) -> None:
    (pid,) = cage.spinner()
    with pytest.raises(StepImpossible, match="py-spy is not installed beside the watchdog"):
        await spy("/nowhere/py-spy").capture([identity(pid)])
    found = installed()
    assert found is not None
    assert Path(found).parent == Path(sys.executable).parent


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to be somebody else")
async def test_where_the_kernel_says_no_it_is_impossible_with_what_it_needs(cage: Cage) -> None:
    (pid,) = cage.spinner()
    real = installed()
    assert real is not None
    program = cage.program(f"""
        import os, sys
        os.setgroups([]); os.setgid(65534); os.setuid(65534)
        os.execv({real!r}, ["py-spy", *sys.argv[1:]])
    """)
    with pytest.raises(StepImpossible, match="CAP_SYS_PTRACE"):
        await spy(program).capture([identity(pid)])


FREEZER = Path("/sys/fs/cgroup/freezer")


@pytest.mark.skipif(not os.access(FREEZER, os.W_OK) or os.geteuid() != 0, reason="needs a freezer of its own")
async def test_a_frozen_one_is_read_as_it_is_and_hangs_nobody(cage: Cage) -> None:
    (pid,) = cage.spinner()
    group = FREEZER / f"bot-watchdog-test-{pid}"
    group.mkdir()
    try:
        (group / "cgroup.procs").write_text(str(pid))
        (group / "freezer.state").write_text("FROZEN")
        began = monotonic()
        stacks = await spy().capture([identity(pid)])
        assert monotonic() - began < 2
        assert "parse (spinner.py" in stacks.line
        assert "it is frozen" in stacks.text
    finally:
        (group / "freezer.state").write_text("THAWED")
        (FREEZER / "cgroup.procs").write_text(str(pid))
        group.rmdir()


def test_a_python_is_known_by_its_program_or_its_library(cage: Cage) -> None:
    stat = procfs.read_stat(os.getpid())
    assert stat is not None
    assert is_python(stat)
    other = procfs.read_stat(cage.start("sleep", "60"))
    assert other is not None
    wait_for_state(other.pid, "S")
    assert not is_python(other)


@pytest.mark.anyio
async def test_threads_that_the_kernel_says_sleep_are_not_called_active(cage: Cage) -> None:
    """In a container py-spy cannot match threads with the kernel's, and calls every one active."""
    sleeper = cage.start(sys.executable, "-c", "import time; time.sleep(600)")
    wait_for_state(sleeper, "S")
    program = cage.program(r"""
        print('Thread 0x7F (active): "MainThread"\n    select (/usr/lib/python3.11/selectors.py:415)')
        print('Thread 0x7E (active): "Thread-1"\n    answer (/srv/bot/bot.py:10)')
    """)
    stacks = await spy(program).capture([identity(sleeper)])
    assert stacks.line.endswith("idle in answer (bot.py:10)")
