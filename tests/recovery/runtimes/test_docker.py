"""The runtime `docker` on a fake engine with real processes: seen and started through it, ended and measured without it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recovery.adapters.docker_host import DockerHost
from recovery.adapters.processes import ProcessTable
from recovery.errors import EngineAway, NeedsPerson, StepError, StepFailed, StepImpossible, Superseded
from recovery.model import Playbook, Run, RunOutcome
from recovery.ports import Answer, Context, Life, Sight
from recovery.runtimes import docker
from recovery.runtimes.docker import DockerRuntime
from tests.fakes.bots import alive, target
from tests.fakes.descriptors import none_left
from tests.fakes.fake_engine import CANARY, Container, FakeEngine, fake_engine
from tests.fakes.runtime import Killed
from tests.fakes.scene import RESTART, Scene, book
from watchdog.clock import Clock

READ = 0.3

FAULTS = ["hang", "500", "cut", "nonsense", "odd", "gone"]


class Brisk(Clock):
    """A port is tried again after a tenth of the time."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds / 10 if seconds == docker.PORT_AGAIN else seconds)


class Yard:
    def __init__(self, engine: FakeEngine) -> None:
        self.engine = engine
        self.clock = Brisk()
        self.table = ProcessTable(self.clock)
        self.host = self.new_host()
        self.runtime = self.new_runtime()

    def new_host(self) -> DockerHost:
        return DockerHost(self.clock, self.engine.url, read=READ, start=READ)

    def new_runtime(self, name: str = "scraper", logs: tuple[Path, ...] = ()) -> DockerRuntime:
        """As a daemon that has just started would make it."""
        return DockerRuntime(name, self.host, self.table, self.clock, logs, self.engine.groups)

    def box(self, *argv: str | Path, **more: Any) -> Container:
        return self.engine.make("scraper", *argv, **more)

    async def until(self, true: Callable[[], bool], seconds: float = 5.0) -> None:
        async with asyncio.timeout(seconds):
            while not true():
                await asyncio.sleep(0.01)


@pytest.fixture
async def yard(tmp_path: Path) -> AsyncIterator[Yard]:
    with fake_engine(tmp_path) as engine:
        one = Yard(engine)
        yield one
        await one.host.close()


def pid_of(box: Container) -> int:
    assert box.process is not None
    return box.process.pid


async def test_a_running_container_is_known_by_its_id_and_its_start(yard: Yard) -> None:
    box = yard.box()
    sight = await yard.runtime.look()
    assert sight == Sight(Life.RUNNING, f"{box.id}@{box.started}", pid_of(box), sight.started_at)
    assert sight.started_at == pytest.approx(time.time(), abs=5)


@pytest.mark.parametrize(
    ("status", "policy", "life", "code", "supervised", "words"),
    [
        ("exited", "no", Life.STOPPED, 3, False, "exit code 3"),
        ("exited", "always", Life.STOPPED, 3, True, "exit code 3"),
        ("exited", "unless-stopped", Life.STOPPED, 3, True, "exit code 3"),
        ("dead", "always", Life.STOPPED, 3, False, "exit code 3"),
        ("restarting", "always", Life.BUSY, 3, False, "Docker restarts it, exit code 3"),
        ("removing", "no", Life.BUSY, 3, False, "Docker removes it"),
    ],
)
async def test_what_does_not_run_is_said_in_words(
    yard: Yard, status: str, policy: str, life: Life, code: int, supervised: bool, words: str
) -> None:
    box = yard.box(running=False, policy=policy)
    box.status, box.exit_code, box.started = status, 3, "2026-08-16T06:30:00.123456789Z"
    assert await yard.runtime.look() == Sight(life, exit_code=code, detail=words, supervised=supervised)


async def test_what_never_ran_or_is_not_there_has_no_exit_code(yard: Yard) -> None:
    assert await yard.runtime.look() == Sight(Life.GONE, detail="there is no container 'scraper'")
    yard.box(running=False, policy="always")
    assert await yard.runtime.look() == Sight(Life.STOPPED, detail="created")


async def test_a_process_that_is_dead_is_not_running_whatever_docker_still_says(yard: Yard) -> None:
    yard.engine.notices = 0.3
    box = yard.box(policy="always")
    await yard.runtime.look()
    os.kill(pid_of(box), signal.SIGKILL)
    await yard.until(lambda: not alive(pid_of(box)))
    for runtime in (yard.runtime, yard.new_runtime()):
        sight = await runtime.look()
        assert (sight.life, sight.detail) == (Life.BUSY, "its process has ended, Docker has yet to notice")


async def test_a_pid_that_is_not_in_the_containers_cgroup_is_not_taken_for_the_bot(yard: Yard) -> None:
    box = yard.box()
    (yard.engine.proc / str(pid_of(box)) / "cgroup").write_text("0::/user.slice\n")
    with pytest.raises(StepFailed, match="is not in the cgroup of 'scraper'; that it is the bot is not proved"):
        await yard.runtime.look()


async def test_what_docker_would_remove_is_not_stopped(yard: Yard) -> None:
    """A container made with --rm is gone when it ends, its files with it, and nothing here could make it anew."""
    box = yard.box()
    box.fleeting = True
    sight = await yard.runtime.look()
    with pytest.raises(NeedsPerson, match="--rm"):
        await yard.runtime.stop(sight, 0.1)
    assert alive(pid_of(box))
    assert "made with --rm: Docker removes it when it ends" in (await yard.runtime.vitals(sight)).more


async def test_who_got_another_container_under_its_name_does_not_wait_for_the_end_of_the_first(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker, "GLANCE", 0.1)
    first = yard.box()
    sight = await yard.runtime.look()
    ended = asyncio.ensure_future(yard.runtime.gone(sight))
    yard.engine.containers["scraper-old"] = yard.engine.containers.pop("scraper")
    second = yard.box()
    assert (await yard.runtime.look()).pid == pid_of(second)
    await asyncio.wait_for(ended, 2)
    assert alive(pid_of(first))


async def test_its_end_is_heard_at_once_and_without_the_engine(yard: Yard) -> None:
    box = yard.box()
    sight = await yard.runtime.look()
    ended = asyncio.ensure_future(yard.runtime.gone(sight))
    await asyncio.sleep(0.05)
    yard.engine.disappear()
    assert not ended.done()
    os.kill(pid_of(box), signal.SIGKILL)
    await asyncio.wait_for(ended, 0.5)
    await asyncio.wait_for(yard.runtime.gone(sight), 0.5)
    await yard.new_runtime().gone(Sight(Life.STOPPED))


async def test_the_end_of_an_instance_from_before_is_no_news(yard: Yard) -> None:
    box = yard.box(policy="always")
    sight = await yard.runtime.look()
    os.kill(pid_of(box), signal.SIGKILL)
    await yard.until(lambda: len(box.starts) == 2)
    await asyncio.wait_for(yard.new_runtime().gone(sight), 1)


async def test_without_descriptors_its_end_is_found_by_looking_again(yard: Yard) -> None:
    box = yard.box()
    sight = await yard.runtime.look()
    with none_left():
        ended = asyncio.ensure_future(yard.runtime.gone(sight))
        await asyncio.sleep(0.05)
    assert not ended.done()
    os.kill(pid_of(box), signal.SIGKILL)
    await asyncio.wait_for(ended, 2)


async def test_it_is_stopped_without_the_engines_stop_so_that_its_policy_brings_it_back(yard: Yard) -> None:
    box = yard.box(policy="always")
    sight = await yard.runtime.look()
    assert (await yard.runtime.stop(sight, 5)).startswith("ended by SIGTERM")
    assert not alive(sight.pid or 0)
    await yard.until(lambda: len(box.starts) == 2)
    assert {asked for asked in yard.engine.asked if asked not in ("version", "inspect")} == set()
    assert (await yard.runtime.look()).instance != sight.instance


async def test_it_is_asked_to_end_with_its_own_signal_and_a_deaf_one_is_killed(yard: Yard, tmp_path: Path) -> None:
    code = "import signal, sys, time; signal.signal(signal.SIGINT, lambda *_: sys.exit(7)); time.sleep(60)"
    box = yard.box(sys.executable, "-S", "-E", "-c", code, stop_signal="SIGINT")
    await asyncio.sleep(0.3)
    assert (await yard.runtime.stop(await yard.runtime.look(), 5)).startswith("ended by SIGINT")
    await yard.until(lambda: box.status == "exited")
    assert box.exit_code == 7
    yard.engine.remove("scraper")
    box = yard.box(*target("stubborn", tmp_path / "ready"))
    await yard.until((tmp_path / "ready").exists)
    assert await yard.runtime.stop(await yard.runtime.look(), 0.2) == "SIGTERM was ignored for 0.2 s, 1 killed"


async def test_f15_what_was_seen_once_is_stopped_and_measured_while_the_engine_is_away(yard: Yard) -> None:
    box = yard.box()
    sight = await yard.runtime.look()
    yard.engine.disappear()
    usage = await yard.runtime.usage(sight)
    assert usage is not None
    assert (usage.cpu, usage.memory, usage.limit) == (1.5, 40_000_000, None)
    assert (await yard.runtime.stop(sight, 5)).startswith("ended by SIGTERM")
    assert not alive(pid_of(box))
    assert await yard.runtime.usage(sight) is None


@pytest.mark.parametrize("fault", FAULTS)
async def test_f15_an_engine_that_is_ill_keeps_nobody_from_stopping_what_was_seen(yard: Yard, fault: str) -> None:
    box = yard.box()
    sight = await yard.runtime.look()
    yard.engine.faults["inspect"] = fault
    assert (await yard.runtime.stop(sight, 5)).startswith("ended by SIGTERM")
    assert not alive(pid_of(box))


async def test_f15_what_was_never_seen_is_not_stopped_on_hearsay(yard: Yard) -> None:
    box = yard.box()
    sight = await yard.runtime.look()
    yard.engine.disappear()
    with pytest.raises(EngineAway):
        await yard.new_runtime().stop(sight, 5)
    assert alive(pid_of(box))


async def test_f44_a_container_that_was_replaced_is_not_touched(yard: Yard) -> None:
    yard.box()
    sight = await yard.runtime.look()
    yard.engine.remove("scraper")
    new = yard.box()
    with pytest.raises(Superseded, match=f"another instance runs, pid {pid_of(new)}"):
        await yard.runtime.stop(sight, 5)
    with pytest.raises(Superseded):
        await yard.runtime.signal(sight, "TERM")
    assert alive(pid_of(new))


async def test_f44_a_container_that_was_renamed_is_gone_and_not_touched(yard: Yard) -> None:
    box = yard.box()
    sight = await yard.runtime.look()
    yard.engine.containers["other"] = yard.engine.containers.pop("scraper")
    box.name = "other"
    assert await yard.runtime.stop(sight, 5) == "nothing was running"
    with pytest.raises(StepFailed, match="there is no container 'scraper', and it is not ours to make one"):
        await yard.runtime.start()
    assert alive(pid_of(box))
    assert yard.engine.count("start") == 0


async def test_f44_a_paused_container_is_somebody_elses(yard: Yard) -> None:
    box = yard.box()
    sight = await yard.runtime.look()
    yard.engine.pause(box)
    seen = await yard.runtime.look()
    assert (seen.life, seen.paused, seen.detail) == (Life.RUNNING, True, "paused")
    for act in (yard.runtime.stop(sight, 5), yard.runtime.signal(sight, "HUP"), yard.runtime.start()):
        with pytest.raises(Superseded, match="somebody paused it"):
            await act
    yard.engine.disappear()
    with pytest.raises(Superseded, match="somebody paused it"):
        await yard.runtime.stop(sight, 5)
    assert alive(pid_of(box))


async def test_f44_a_container_that_was_pruned_is_neither_stopped_nor_made_again(yard: Yard) -> None:
    yard.box()
    sight = await yard.runtime.look()
    yard.engine.remove("scraper")
    assert await yard.runtime.stop(sight, 5) == "nothing was running"
    with pytest.raises(StepFailed, match="it is not ours to make one"):
        await yard.runtime.start()


async def test_f23_a_pid_that_left_the_container_is_left_alone(yard: Yard) -> None:
    box = yard.box()
    sight = await yard.runtime.look()
    (yard.engine.proc / str(pid_of(box)) / "cgroup").write_text("0::/user.slice\n")
    with pytest.raises(StepFailed, match="is not in the container's cgroup; it is left alone"):
        await yard.runtime.stop(sight, 5)
    assert alive(pid_of(box))


async def test_a_stop_of_what_has_already_ended_says_so(yard: Yard) -> None:
    box = yard.box()
    sight = await yard.runtime.look()
    await yard.runtime.stop(sight, 5)
    assert await yard.runtime.stop(sight, 5) == "nothing was running"
    await yard.until(lambda: box.status == "exited")
    assert await yard.runtime.stop(sight, 5) == "nothing was running"
    with pytest.raises(StepFailed, match="it does not run"):
        await yard.runtime.signal(sight, "HUP")


async def test_a_signal_reaches_its_main_process(yard: Yard) -> None:
    box = yard.box()
    await yard.runtime.signal(await yard.runtime.look(), "SIGUSR1")
    await yard.until(lambda: box.status == "exited")
    assert box.exit_code == 128 + signal.SIGUSR1
    with pytest.raises(StepImpossible, match="there is no signal 'HUPP'"):
        await yard.runtime.signal(Sight(Life.STOPPED), "HUPP")


async def test_it_is_started_once_however_often_it_is_asked_for(yard: Yard) -> None:
    box = yard.box(running=False)
    sights = await asyncio.gather(*(yard.runtime.start() for _ in range(5)))
    assert len({sight.instance for sight in sights}) == 1
    assert sights[0].running
    assert yard.engine.count("start") == 1
    assert len(box.starts) == 1


async def test_what_docker_is_at_work_on_is_left_to_it(yard: Yard) -> None:
    box = yard.box(policy="always")
    sight = await yard.runtime.look()
    await yard.runtime.stop(sight, 5)
    assert (await yard.runtime.start()).running
    assert yard.engine.count("start") == 0
    assert len(box.starts) == 2


async def test_one_that_ends_at_once_is_said_to_have_ended(yard: Yard) -> None:
    yard.box("sh", "-c", "exit 4", running=False)
    sight = await yard.runtime.start()
    await asyncio.sleep(0.1)
    assert not sight.running or not (await yard.runtime.look()).running


async def test_f15_a_start_without_an_answer_is_settled_by_looking(yard: Yard) -> None:
    box = yard.box(running=False)
    yard.engine.faults["start"], yard.engine.late = "hang", 0.6
    sight = await yard.runtime.start()
    assert sight.instance == f"{box.id}@{box.started}"
    assert (yard.engine.count("start"), len(box.starts)) == (1, 1)


async def test_a_taken_port_is_tried_once_more_and_then_a_persons(yard: Yard) -> None:
    words = "Bind for 0.0.0.0:8080 failed: port is already allocated"
    box = yard.box(running=False)
    web = yard.engine.make("web", ports=(8080,))
    yard.engine.refusals = [(500, words), (500, words)]
    with pytest.raises(NeedsPerson, match="port 8080 is taken by container web; that is left to a person"):
        await yard.runtime.start()
    assert (yard.engine.count("start"), alive(pid_of(web))) == (2, True)
    yard.engine.refusals = [(500, words)]
    assert (await yard.runtime.start()).running
    assert len(box.starts) == 1


async def test_who_came_back_while_the_port_was_waited_for_is_adopted(yard: Yard) -> None:
    box = yard.box(running=False)
    yard.engine.refusals = [(500, "listen tcp4 0.0.0.0:80: bind: address already in use")]
    starting = asyncio.ensure_future(yard.runtime.start())
    await yard.until(lambda: not yard.engine.refusals)
    yard.engine.run(box)
    assert (await starting).running
    assert yard.engine.count("start") == 1


async def test_vitals_are_of_all_in_it_with_what_only_docker_knows_and_no_secret(yard: Yard) -> None:
    box = yard.box(policy="always", health="unhealthy")
    second = yard.engine.make("second")
    yard.engine.enter(box, pid_of(second))
    vitals = await yard.runtime.vitals(await yard.runtime.look())
    assert (vitals.processes, vitals.state) == (2, "sleeping")
    assert vitals.memory is not None
    assert vitals.more == (
        "image bot:1",
        "restart policy always",
        f"started {box.started[:19].replace('T', ' ')} UTC",
        "last exit code 0",
        "OOMKilled no",
        "memory limit 536870912 bytes",
        "health unhealthy: connection refused",
    )
    assert CANARY not in repr(vitals)


async def test_vitals_without_the_engine_are_of_what_was_seen(yard: Yard) -> None:
    yard.box()
    sight = await yard.runtime.look()
    yard.engine.disappear()
    vitals = await yard.runtime.vitals(sight)
    assert vitals.processes == 1
    assert vitals.more[0].startswith("Docker was not asked: Docker is not there")
    assert (await yard.new_runtime().vitals(sight)).state == "gone"


async def test_the_log_is_dockers_and_then_each_other_file(yard: Yard, tmp_path: Path) -> None:
    yard.box(log=b"\1\0\0\0\0\0\0\6cycle\n")
    (tmp_path / "more.log").write_text("more\n")
    runtime = yard.new_runtime(logs=(tmp_path / "more.log",))
    assert await runtime.log_tail(5) == ["cycle", f"{tmp_path}/more.log:", "more"]
    yard.engine.disappear()
    tail = await runtime.log_tail(5)
    assert tail[0].startswith("its output cannot be read: Docker is not there")
    assert tail[1:] == [f"{tmp_path}/more.log:", "more"]


async def test_health_is_dockers_own_word_and_new_after_a_stop(yard: Yard) -> None:
    yard.box(health="healthy")
    row = await yard.runtime.health()
    assert row is not None
    assert (row.state, row.health) == ("running", "healthy")
    await yard.runtime.stop(await yard.runtime.look(), 5)
    await asyncio.sleep(0.1)
    row = await yard.runtime.health()
    assert row is not None
    assert (row.state, row.health) == ("exited", None)
    assert await yard.new_runtime("nobody").health() is None


ACTS: dict[str, Callable[[DockerRuntime, Sight], Awaitable[object]]] = {
    "look": lambda runtime, sight: runtime.look(),
    "start": lambda runtime, sight: runtime.start(),
    "stop": lambda runtime, sight: runtime.stop(sight, 1),
    "signal": lambda runtime, sight: runtime.signal(sight, "HUP"),
    "log_tail": lambda runtime, sight: runtime.log_tail(5),
    "vitals": lambda runtime, sight: runtime.vitals(sight),
    "health": lambda runtime, sight: runtime.health(),
    "usage": lambda runtime, sight: runtime.usage(sight),
}


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("fault", [*FAULTS, "away"])
async def test_f15_whatever_the_engine_does_each_method_ends_in_time_with_a_result_or_one_of_our_errors(
    yard: Yard, act: str, fault: str
) -> None:
    yard.box()
    sight = await yard.runtime.look()
    runtime = yard.new_runtime()
    if fault == "away":
        yard.engine.disappear()
    else:
        yard.engine.faults |= dict.fromkeys(("inspect", "start", "logs", "list"), fault)
    began, said = time.monotonic(), ""
    try:
        await ACTS[act](runtime, sight)
    except StepError as error:
        said = str(error)
    assert time.monotonic() - began < 2
    assert "\n" not in said
    assert CANARY not in said


@pytest.mark.parametrize("when", [0.0, 0.05, 0.15])
async def test_f15_an_engine_that_is_restarted_during_a_restart_of_the_bot_costs_no_double_start(yard: Yard, when: float) -> None:
    box = yard.box()
    sight = await yard.runtime.look()

    async def engine_restarts() -> None:
        await asyncio.sleep(when)
        yard.engine.disappear()
        await asyncio.sleep(0.3)
        yard.engine.appear()

    restarting = asyncio.ensure_future(engine_restarts())
    assert (await yard.runtime.stop(sight, 5)).startswith("ended by SIGTERM")
    async with asyncio.timeout(10):
        while True:
            try:
                now = await yard.runtime.start()
                break
            except EngineAway:
                await asyncio.sleep(0.1)
    await restarting
    assert now.running
    assert len(box.starts) == 2


class Story(Scene):
    """A run of the engine of recovery on a container, and the next life of a daemon that was killed in it."""

    def __init__(self, yard: Yard, sight: Sight) -> None:
        super().__init__(term_grace=0.3, startup_grace=0.1, interval=0.1, proof=10.0)
        self.yard = yard
        self.clock = yard.clock  # type: ignore[assignment]
        self.runtime.sight = sight

    async def ask(self) -> Answer:
        sight = await self.yard.runtime.look()
        return Answer(sight.running, "it runs" if sight.running else "it does not run")

    def context(self, sight: Sight | None = None) -> Context:
        return replace(super().context(sight), runtime=self.yard.runtime)

    async def next_life(self, playbook: Playbook) -> Run:
        await self.yard.host.close()
        self.yard.host = self.yard.new_host()
        self.yard.runtime = self.yard.new_runtime()
        return await super().next_life(playbook)


@pytest.mark.parametrize("policy", ["no", "always"])
@pytest.mark.parametrize(
    "point",
    [
        ("intent", "stop_process"),
        ("outcome", "stop_process"),
        ("after", "stop_process"),
        ("intent", "ensure_running"),
        ("outcome", "ensure_running"),
        ("proving", ""),
    ],
)
async def test_killed_anywhere_in_a_run_the_container_is_restarted_at_most_once_and_runs_in_the_end(
    yard: Yard, point: tuple[str, str], policy: str
) -> None:
    box = yard.box(policy=policy)
    story = Story(yard, await yard.runtime.look())
    story.journal.kill = point
    with pytest.raises(Killed):
        await story.heal(book(RESTART))
    run = await story.next_life(book(RESTART))
    assert (await yard.runtime.look()).running
    untouched = point == ("intent", "stop_process")
    assert len(box.starts) == (1 if untouched else 2)
    assert run.outcome is (RunOutcome.INTERRUPTED if untouched else RunOutcome.HEALED)
    assert run.refunded == untouched
