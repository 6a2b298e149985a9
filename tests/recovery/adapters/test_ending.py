"""F24, F25: whatever state they are in and wherever they went, all end, and their death is proved."""

import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from recovery.adapters import procfs
from recovery.adapters.ending import End, tree_of
from recovery.adapters.processes import ProcessTable
from recovery.errors import StepFailed
from recovery.ports import Sight
from tests.fakes.bots import Farm, alive, farm, target, zombies_of_ours
from watchdog.clock import Clock


@pytest.fixture
async def bots(tmp_path: Path) -> AsyncIterator[Farm]:
    async with farm(tmp_path) as running:
        yield running


async def started(bots: Farm, name: str, file: Path, count: int = 1) -> tuple[Sight, list[int]]:
    sight = await bots.runtime("scraper", target(name, file)).start()
    return sight, await bots.pids(file, count)


async def test_a_bot_that_obeys_sigterm_is_not_killed(bots: Farm) -> None:
    runtime = bots.runtime("scraper", ("sleep", "60"))
    sight = await runtime.start()
    assert (await runtime.stop(sight, 5)).startswith(("ended by SIGTERM at once", "ended by SIGTERM after 0."))
    assert sight.pid is not None
    assert not alive(sight.pid)


async def test_a_bot_that_ignores_sigterm_is_killed_after_its_grace(bots: Farm, tmp_path: Path) -> None:
    sight, (pid,) = await started(bots, "stubborn", tmp_path / "pids")
    assert pid == sight.pid
    began = bots.clock.monotonic()
    said = await bots.runtime("scraper", ("x",)).stop(sight, 0.3)
    assert 0.3 <= bots.clock.monotonic() - began < 2
    assert said == "SIGTERM was ignored for 0.3 s, 1 killed"
    assert not alive(pid)


async def test_without_kill_it_is_left_alone_and_the_step_has_failed(bots: Farm, tmp_path: Path) -> None:
    sight, (pid,) = await started(bots, "stubborn", tmp_path / "pids")
    with pytest.raises(StepFailed, match=rf"pid {pid} \(python.*, sleeping\) still running 200 ms after SIGTERM; left alone"):
        await bots.runtime("scraper", ("x",)).stop(sight, 0.2, kill=False)
    assert alive(pid)


async def test_none_of_a_family_survives_wherever_its_members_went(bots: Farm, tmp_path: Path) -> None:
    sight, pids = await started(bots, "family", tmp_path / "pids", 5)
    assert len(set(pids)) == 5
    orphan_session = [pid for pid in pids if os.getsid(pid) != sight.pid]
    assert len(orphan_session) == 1
    said = await bots.runtime("scraper", ("x",)).stop(sight, 0.3)
    assert "4 of 5 killed" in said
    assert [pid for pid in pids if alive(pid)] == []
    assert zombies_of_ours() == []


async def test_the_family_of_a_bot_that_died_by_itself_does_not_survive_its_next_start(bots: Farm, tmp_path: Path) -> None:
    sight, pids = await started(bots, "family", tmp_path / "pids", 5)
    assert sight.pid is not None
    os.kill(sight.pid, signal.SIGKILL)
    await bots.until(lambda: not alive(sight.pid or 0))
    again = await bots.runtime("scraper", ("sleep", "60")).start()
    assert again.detail == "4 of an earlier instance ended first"
    assert [pid for pid in pids if alive(pid)] == []


async def test_a_stopped_bot_is_continued_so_that_it_can_end_by_itself(bots: Farm, tmp_path: Path) -> None:
    script = f"trap 'echo bye > {tmp_path}/bye; exit 0' TERM; echo $$ > {tmp_path}/pids; while :; do sleep 0.05; done"
    runtime = bots.runtime("scraper", ("sh", "-c", script))
    sight = await runtime.start()
    await bots.pids(tmp_path / "pids", 1)
    await runtime.signal(sight, "STOP")
    assert (await runtime.stop(sight, 2)).startswith(("ended by SIGTERM at once", "ended by SIGTERM after 0."))
    assert (tmp_path / "bye").exists()


async def test_a_zombie_counts_as_dead_and_is_not_waited_for(bots: Farm) -> None:
    process = subprocess.Popen(["/bin/sleep", "60"])
    snapshot = await bots.table.snapshot(0)
    identity = snapshot.identity(snapshot.rows[process.pid])
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    ending = await End(bots.table, bots.clock, tree_of(identity, "scraper", "/state")).run(5)
    assert ending.count == 0
    assert ending.seconds < 1
    process.wait()


async def test_a_stranger_with_the_same_program_is_untouched(bots: Farm, tmp_path: Path) -> None:
    (tmp_path / "strangers").touch()
    with subprocess.Popen(target("stubborn", tmp_path / "strangers"), stdout=subprocess.DEVNULL) as stranger:
        await bots.pids(tmp_path / "strangers", 1)
        sight, (pid,) = await started(bots, "stubborn", tmp_path / "pids")
        neighbour = await bots.runtime("database", ("sleep", "60")).start()
        await bots.runtime("scraper", ("x",)).stop(sight, 0.1)
        assert not alive(pid)
        assert stranger.poll() is None
        assert alive(neighbour.pid or 0)
        stranger.kill()


async def test_new_children_that_appear_at_sigterm_are_found_before_the_end(bots: Farm, tmp_path: Path) -> None:
    script = f"trap 'sleep 60 & echo $! >> {tmp_path}/late; exit 0' TERM; echo $$ > {tmp_path}/pids; while :; do sleep 0.05; done"
    sight = await bots.runtime("scraper", ("sh", "-c", script)).start()
    await bots.pids(tmp_path / "pids", 1)
    await bots.runtime("scraper", ("x",)).stop(sight, 0.5)
    (late,) = await bots.pids(tmp_path / "late", 1)
    assert not alive(late)


async def test_nothing_to_end_is_said_so() -> None:
    clock = Clock()
    ending = await End(ProcessTable(clock), clock, tree_of(None, "nobody", "/nowhere")).run(1)
    assert str(ending) == "nothing was running"


@pytest.mark.live
@pytest.mark.skipif(os.geteuid() != 0, reason="needs a pid namespace; run as root")
def test_a_stranger_who_got_the_pid_of_the_bot_survives() -> None:
    """F23: the bot dies between decision and signal, and its pid is used again at once."""
    root = Path(__file__).parents[3]
    argv = ["unshare", "-Urpf", "--mount-proc", *target("pid_reuse")]
    argv[argv.index("-S") : argv.index("-E") + 1] = []
    env = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(argv, cwd=root, env=env, capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout.splitlines() == ["same pid", "refused: it does not run", "stranger lives"], done.stderr


@pytest.fixture
def frozen(tmp_path: Path) -> Iterator[Path]:
    """A mounted file system that can be frozen: who writes to it then waits in the kernel."""
    image, mount = tmp_path / "image", tmp_path / "mount"
    with image.open("wb") as file:
        file.truncate(16 << 20)
    mount.mkdir()
    subprocess.run(["mkfs.ext4", "-q", str(image)], check=True)
    if subprocess.run(["mount", "-o", "loop", str(image), str(mount)], check=False, capture_output=True).returncode:
        pytest.skip("needs loop devices")
    try:
        yield mount
    finally:
        subprocess.run(["fsfreeze", "-u", str(mount)], check=False, capture_output=True)
        subprocess.run(["umount", "-l", str(mount)], check=True)


@pytest.mark.live
@pytest.mark.skipif(os.geteuid() != 0, reason="freezes a file system; run as root")
async def test_a_process_that_waits_in_the_kernel_is_reported_alive_with_its_state(bots: Farm, frozen: Path) -> None:
    """F24, true D: neither believed dead nor waited for without end, and looking at it does not hang."""
    subprocess.run(["fsfreeze", "-f", str(frozen)], check=True)
    runtime = bots.runtime("scraper", ("sh", "-c", f"exec dd if=/dev/zero of={frozen}/x bs=1k count=1"))
    sight = await runtime.start()
    await bots.until(lambda: (stat := procfs.read_stat(sight.pid or 0)) is not None and stat.state == "D")
    with pytest.raises(StepFailed, match=rf"pid {sight.pid} \(dd, in uninterruptible sleep.*\) survived SIGKILL for 5 s"):
        await runtime.stop(sight, 0.1)
    assert (await runtime.look()).instance == sight.instance
    subprocess.run(["fsfreeze", "-u", str(frozen)], check=True)
    await bots.until(lambda: not alive(sight.pid or 0))
    assert not (await runtime.look()).running
