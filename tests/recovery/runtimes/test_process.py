"""The runtime `process` on real processes: adopted, never started twice, ended with all that belongs to it."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recovery.adapters.launching import ProcessSpec
from recovery.errors import StepFailed, StepImpossible, Superseded
from recovery.ports import Life, Sight
from recovery.runtimes.process import ProcessRuntime
from tests.fakes.bots import Farm, alive, farm, target, zombies_of_ours
from tests.fakes.descriptors import none_left

ROOT = Path(__file__).parents[3]


@pytest.fixture
async def bots(tmp_path: Path) -> AsyncIterator[Farm]:
    async with farm(tmp_path) as running:
        yield running


def seen(pid: int) -> dict[str, str]:
    pairs = (Path("/proc") / str(pid) / "environ").read_text().split("\0")
    return dict(pair.split("=", 1) for pair in pairs if pair)


async def test_a_started_bot_is_a_session_of_its_own_with_a_clean_environment_and_our_marker(
    bots: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_DAEMON", "canary")
    sight = await bots.runtime("scraper", ("sleep", "60"), env={"MODE": "live it's $HOME"}).start()
    assert sight.running
    assert sight.pid is not None
    assert sight.started_at == pytest.approx(bots.clock.now(), abs=3)
    assert seen(sight.pid) == {
        "PATH": os.environ["PATH"],
        "HOME": seen(sight.pid)["HOME"],
        "LANG": seen(sight.pid)["LANG"],
        "PWD": "/",
        "MODE": "live it's $HOME",
        "BOT_WATCHDOG_SERVICE": "scraper",
        "BOT_WATCHDOG_STATE": str(bots.state),
        "BOT_WATCHDOG_PID": str(sight.pid),
    }
    assert os.getsid(sight.pid) == sight.pid
    fds = {fd.name: str(fd.readlink()) for fd in Path(f"/proc/{sight.pid}/fd").iterdir()}
    log = str(bots.state / "logs" / "scraper.log")
    assert fds == {"0": "/dev/null", "1": log, "2": log}


async def test_it_is_started_once_however_often_it_is_asked_for(bots: Farm, tmp_path: Path) -> None:
    runtime = bots.runtime("scraper", target("stubborn", tmp_path / "starts"))
    sights = await asyncio.gather(*(runtime.start() for _ in range(5)))
    assert len({sight.instance for sight in sights}) == 1
    assert await runtime.look() == sights[0]
    await bots.pids(tmp_path / "starts", 1)
    assert (tmp_path / "starts").read_text() == f"{sights[0].pid}\n"


async def test_a_bot_outlives_the_daemon_that_was_killed_and_is_adopted_by_the_next(bots: Farm, tmp_path: Path) -> None:
    code = f"""
import asyncio, sys
from pathlib import Path
from recovery.adapters.launching import ProcessSpec
from recovery.runtimes.process import ProcessRuntime
from watchdog.clock import Clock
async def main():
    spec = ProcessSpec({target("stubborn", tmp_path / "starts")!r})
    sight = await ProcessRuntime("scraper", spec, Path({str(tmp_path)!r}), Clock()).start()
    print(sight.instance, flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as daemon:
        assert daemon.stdout is not None
        instance = daemon.stdout.readline().strip()
        daemon.kill()
    (pid,) = await bots.pids(tmp_path / "starts", 1)
    assert instance.startswith(f"{pid}:")
    runtime = bots.runtime("scraper", target("stubborn", tmp_path / "starts"))
    assert (await runtime.look()).instance == instance
    assert (await runtime.start()).instance == instance
    assert (tmp_path / "starts").read_text() == f"{pid}\n"
    assert "killed" in await runtime.stop(await runtime.look(), 0.1)
    assert not alive(pid)


async def test_a_bot_that_hides_its_environment_is_adopted_all_the_same(bots: Farm, tmp_path: Path) -> None:
    argv = target("titled", tmp_path / "pid")
    sight = await bots.runtime("scraper", argv).start()
    await bots.pids(tmp_path / "pid", 1)
    bots.table = type(bots.table)(bots.clock)  # a new daemon remembers no marker
    assert (await bots.runtime("scraper", argv).start()).instance == sight.instance
    await bots.runtime("scraper", argv).stop(sight, 2)


async def test_the_record_of_an_instance_from_before_is_no_reason_to_adopt_another(bots: Farm) -> None:
    runtime = bots.runtime("scraper", ("sleep", "60"))
    first = await runtime.start()
    await runtime.stop(first, 2)
    with subprocess.Popen(["/bin/sleep", "60"]) as stranger:
        try:
            ticks, boot = first.instance.split(":")[1:]  # on a fast machine both may have been born in one tick of 10 ms
            (bots.state / "run" / "scraper.instance").write_text(f"{stranger.pid}:{int(ticks) - 100}:{boot}\n")
            assert (await bots.runtime("scraper", ("sleep", "60")).look()).life is Life.STOPPED
        finally:
            stranger.kill()


async def test_a_dead_bot_is_seen_at_once_with_its_exit_code_and_leaves_no_zombie(bots: Farm) -> None:
    runtime = bots.runtime("scraper", ("sh", "-c", "sleep 0.1; exit 7"))
    await runtime.start()
    await bots.clock.sleep(0.3)
    sight = await runtime.look()
    assert (sight.life, sight.instance, sight.exit_code, sight.detail) == (Life.STOPPED, "", 7, "exit code 7")
    assert zombies_of_ours() == []


async def test_a_zombie_is_not_running(bots: Farm) -> None:
    runtime = bots.runtime("scraper", ("sleep", "60"))
    sight = await runtime.start()
    os.kill(sight.pid or 0, signal.SIGKILL)
    while alive(sight.pid or 0):
        pass  # without letting the loop reap it
    sight = await runtime.look()
    assert (sight.life, sight.exit_code, sight.detail) == (Life.STOPPED, -9, "ended by SIGKILL")


async def test_leftovers_of_an_earlier_instance_are_ended_before_the_next_start(bots: Farm, tmp_path: Path) -> None:
    runtime = bots.runtime("scraper", target("family", tmp_path / "pids"))
    first = await runtime.start()
    pids = await bots.pids(tmp_path / "pids", 5)
    os.kill(first.pid or 0, signal.SIGKILL)
    await bots.until(lambda: not alive(first.pid or 0))
    second = await runtime.start()
    assert second.instance != first.instance
    assert second.detail == "4 of an earlier instance ended first"
    assert [pid for pid in pids if alive(pid)] == []


async def test_leftovers_beside_a_living_bot_are_ended_and_its_own_children_are_not(bots: Farm, tmp_path: Path) -> None:
    marker = {"BOT_WATCHDOG_SERVICE": "scraper", "BOT_WATCHDOG_STATE": str(bots.state)}
    runtime = bots.runtime("scraper", target("family", tmp_path / "pids"))
    first = await runtime.start()
    pids = await bots.pids(tmp_path / "pids", 5)
    leftover = subprocess.Popen(["/bin/sleep", "60"], env={**marker, "BOT_WATCHDOG_PID": "4194000"})
    other = subprocess.Popen(["/bin/sleep", "60"], env={**marker, "BOT_WATCHDOG_STATE": "/other", "BOT_WATCHDOG_PID": "1"})
    assert (await runtime.start()).instance == first.instance
    assert leftover.wait(5) == -signal.SIGTERM
    assert [alive(pid) for pid in pids] == [True] * 5
    assert other.poll() is None
    other.kill()
    other.wait()


async def test_stop_does_not_touch_an_instance_that_was_not_decided_on(bots: Farm) -> None:
    runtime = bots.runtime("scraper", ("sleep", "60"))
    first = await runtime.start()
    await runtime.stop(first, 2)
    second = await runtime.start()
    with pytest.raises(Superseded, match=f"another instance runs, pid {second.pid}"):
        await runtime.stop(first, 2)
    with pytest.raises(Superseded):
        await runtime.signal(first, "TERM")
    assert await runtime.look() == second


async def test_a_stop_of_what_has_already_ended_says_so(bots: Farm) -> None:
    runtime = bots.runtime("scraper", ("sleep", "60"))
    sight = await runtime.start()
    await runtime.stop(sight, 2)
    assert await runtime.stop(sight, 2) == "nothing was running"
    with pytest.raises(StepFailed, match="it does not run"):
        await runtime.signal(sight, "HUP")


async def test_a_signal_reaches_the_main_process_only(bots: Farm) -> None:
    runtime = bots.runtime("scraper", ("sh", "-c", "trap 'echo reloaded' HUP; while :; do sleep 0.05; done"))
    sight = await runtime.start()
    await bots.clock.sleep(0.1)
    await runtime.signal(sight, "HUP")
    await bots.until(lambda: (bots.state / "logs" / "scraper.log").read_text() == "reloaded\n")
    assert await runtime.log_tail(5) == ["reloaded"]
    with pytest.raises(StepImpossible, match="there is no signal 'HUPP'"):
        await runtime.signal(sight, "HUPP")


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        (ProcessSpec(("/no/such/bot",)), "/no/such/bot does not exist"),
        (ProcessSpec(("no-such-bot",)), "no-such-bot is not found in PATH"),
        (ProcessSpec(("/etc/passwd",)), "/etc/passwd is not executable"),
        (ProcessSpec(("sleep", "1"), cwd=Path("/no/such")), "the folder /no/such does not exist"),
        (ProcessSpec(("sleep", "1"), user="nobody-here"), "there is no user 'nobody-here'"),
        (ProcessSpec(("sleep", "1"), env={"a.b": "1"}), "'a.b' is no name of an environment variable"),
    ],
)
async def test_what_can_never_start_is_said_in_words(bots: Farm, spec: ProcessSpec, why: str) -> None:
    with pytest.raises(StepImpossible, match=why):
        await ProcessRuntime("scraper", spec, bots.state, bots.clock, bots.table).start()


async def test_a_script_whose_interpreter_is_missing_is_impossible_with_the_words_of_the_shell(
    bots: Farm, tmp_path: Path
) -> None:
    script = tmp_path / "bot"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    with pytest.raises(StepImpossible, match=r"bot cannot be started: .*not found"):
        await bots.runtime("scraper", (str(script),)).start()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start as another user")
async def test_it_runs_as_its_user_in_its_folder(bots: Farm) -> None:
    spec = ProcessSpec(("sleep", "60"), cwd=Path("/tmp"), user="nobody")
    sight = await ProcessRuntime("scraper", spec, bots.state, bots.clock, bots.table).start()
    status = (Path("/proc") / str(sight.pid) / "status").read_text()
    assert "Uid:\t65534\t65534\t65534\t65534" in status
    assert "Gid:\t65534\t65534\t65534\t65534" in status
    assert Path(f"/proc/{sight.pid}/cwd").readlink() == Path("/tmp")
    assert seen(sight.pid or 0)["USER"] == "nobody"


async def test_a_bot_in_the_background_is_known_by_its_pidfile(bots: Farm, tmp_path: Path) -> None:
    pidfile = tmp_path / "bot.pid"
    runtime = bots.runtime("scraper", target("background", pidfile), pidfile=pidfile)
    sight = await runtime.start()
    assert sight.running
    assert pidfile.read_text() == f"{sight.pid}\n"
    assert (await bots.runtime("scraper", target("background", pidfile), pidfile=pidfile).start()).instance == sight.instance
    await runtime.stop(sight, 2)
    assert not alive(sight.pid or 0)


async def test_a_process_of_a_person_is_adopted_by_its_pidfile_and_its_command(bots: Farm, tmp_path: Path) -> None:
    pidfile = tmp_path / "bot.pid"
    with subprocess.Popen(["sleep", "61"]) as theirs:
        pidfile.write_text(f"{theirs.pid}\n")
        sight = await bots.runtime("scraper", ("sleep", "61"), pidfile=pidfile).start()
        assert sight.pid == theirs.pid
        theirs.kill()


@pytest.mark.parametrize("why", ["another program", "it was started after the pidfile was written", "it belongs to database"])
async def test_a_stranger_in_the_pidfile_is_neither_adopted_nor_touched(bots: Farm, tmp_path: Path, why: str) -> None:
    env = {"BOT_WATCHDOG_SERVICE": "database", "BOT_WATCHDOG_STATE": "/x"} if "belongs" in why else {}
    pidfile = tmp_path / "bot.pid"
    with subprocess.Popen(["/bin/sleep", "62" if "program" in why else "63"], env=env) as stranger:
        pidfile.write_text(f"{stranger.pid}\n")
        if "after" in why:
            os.utime(pidfile, (0, bots.clock.now() - 60))
        runtime = bots.runtime("scraper", ("sleep", "63"), pidfile=pidfile)
        sight = await runtime.look()
        assert sight.life is Life.STOPPED
        assert sight.detail == f"its pidfile names pid {stranger.pid} (sleep), which is not it: {why}"
        await runtime.stop(Sight(Life.STOPPED), 0)
        assert stranger.poll() is None
        stranger.kill()


async def test_vitals_are_of_the_whole_tree(bots: Farm, tmp_path: Path) -> None:
    runtime = bots.runtime("scraper", target("family", tmp_path / "pids"))
    sight = await runtime.start()
    await bots.pids(tmp_path / "pids", 5)
    for _ in range(100):  # the middle one, which only starts the orphan, may still be on its way out
        await bots.table.snapshot(0)
        vitals = await runtime.vitals(sight)
        if vitals.processes == 5:
            break
    assert vitals.processes == 5
    assert vitals.memory is not None
    assert vitals.memory > 5_000_000
    assert vitals.files is not None
    assert vitals.files >= 15
    assert vitals.state == "sleeping"
    assert (await runtime.vitals(Sight(Life.STOPPED))).state == "gone"


async def test_usage_is_of_the_whole_tree_and_cpu_only_grows(bots: Farm, tmp_path: Path) -> None:
    runtime = bots.runtime("scraper", target("family", tmp_path / "pids"))
    sight = await runtime.start()
    await bots.pids(tmp_path / "pids", 5)
    await bots.table.snapshot(0)
    first = await runtime.usage(sight)
    assert first is not None
    assert first.memory > 5_000_000
    await bots.table.snapshot(0)
    second = await runtime.usage(sight)
    assert second is not None
    assert second.cpu >= first.cpu > 0
    assert await runtime.usage(Sight(Life.STOPPED)) is None


async def test_looking_at_a_living_bot_scans_nothing(bots: Farm) -> None:
    runtime = bots.runtime("scraper", ("sleep", "60"))
    await runtime.start()
    await bots.clock.sleep(0)
    before = await bots.table.snapshot()
    for _ in range(200):
        await runtime.look()
    assert await bots.table.snapshot() is before


async def test_an_identity_survives_being_stored_as_json(bots: Farm) -> None:
    runtime = bots.runtime("scraper", ("sleep", "60"))
    sight = await runtime.start()
    stored = json.loads(json.dumps(sight.instance))
    await runtime.stop(Sight(Life.RUNNING, stored), 2)
    assert (await runtime.look()).life is Life.STOPPED


async def test_without_descriptors_a_look_fails_in_words_and_the_bot_is_found_again_later(bots: Farm, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    sight = await bots.runtime("scraper", target("stubborn", starts)).start()
    again = bots.runtime("scraper", target("stubborn", starts))
    ended = asyncio.ensure_future(again.gone(sight))
    with none_left():
        for attempt in (again.look, again.start):
            with pytest.raises(StepFailed):
                await attempt()
        await bots.clock.sleep(0)
    assert not ended.done()
    assert (await again.start()).instance == sight.instance
    assert len(await bots.pids(starts, 1)) == 1
    ended.cancel()


async def test_two_readings_of_usage_tell_a_rate_also_within_the_second_that_one_snapshot_serves(bots: Farm) -> None:
    runtime = bots.runtime("scraper", (sys.executable, "-S", "-c", "while True: pass"))
    sight = await runtime.start()
    await runtime.usage(sight)
    await bots.clock.sleep(0.2)
    first, began = await runtime.usage(sight), bots.clock.monotonic()
    await bots.clock.sleep(0.5)
    second, gone = await runtime.usage(sight), bots.clock.monotonic() - began
    assert first is not None
    assert second is not None
    assert 0.1 * gone < second.cpu - first.cpu < gone + 0.05


async def test_stacks_are_those_of_the_python_below_a_shell(bots: Farm, tmp_path: Path) -> None:
    argv = " ".join(target("spinner", tmp_path / "pids"))
    runtime = bots.runtime("scraper", ("sh", "-c", f"{argv} & wait"))
    sight = await runtime.start()
    await bots.pids(tmp_path / "pids", 1)
    stacks = await runtime.stacks(sight)
    assert stacks.line.startswith("1 process, 2 threads; active in parse (spinner.py:")


async def test_stacks_of_what_is_gone_or_no_python_are_refused_in_words(bots: Farm) -> None:
    runtime = bots.runtime("scraper", ("sleep", "60"))
    sight = await runtime.start()
    with pytest.raises(StepImpossible, match="it is no Python: sleep"):
        await runtime.stacks(sight)
    await runtime.stop(sight, 1)
    with pytest.raises(StepFailed, match="it does not run any more"):
        await runtime.stacks(sight)
