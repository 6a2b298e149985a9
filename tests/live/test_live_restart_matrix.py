"""What the engine makes of each way to end a container, policy by policy, without any product (F45).

The product relies on these answers; a row that fails is an engine that answers differently, and it says how.
"""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import sleep as pause

import pytest

from tests.live.engine import Engine
from tests.live.lodging import argv, lent, lines, lodge, mood, starts, until

pytestmark = [pytest.mark.live, pytest.mark.timeout(150)]

POLICIES = ("always", "unless-stopped", "on-failure")
CALM = 2.5
"""Seconds in which the engine has done whatever it does."""


@dataclass(frozen=True)
class Bed:
    """A container in which a row is played."""

    engine: Engine
    folder: Path
    name: str

    def docker(self, *words: str) -> None:
        self.engine.docker(*words, self.name)

    def host(self, number: int) -> None:
        """From the host, once the engine knows its process; the engine has seen what follows when it is back or at rest."""
        self.engine.signal(self.name, number)

    def crash(self) -> None:
        pid = self.engine.pid(self.name)
        self.host(signal.SIGKILL)
        until(lambda: self.engine.pid(self.name) != pid, "the crash is seen")

    def heard(self, count: int) -> None:
        until(lambda: lines(self.folder / "signals" / self.name) >= count, f"{self.name} has got its signal")

    def mood(self, words: str) -> None:
        mood(self.folder, self.name, words)

    def up(self, count: int) -> None:
        until(lambda: starts(self.folder, self.name) >= count, f"{self.name} is up again")


@dataclass(frozen=True)
class Row:
    """after: state, number of starts, and `by hand` where the engine says that a person stopped it; one, or one per policy.

    events: in their order after the first start; one, or one per policy. Both are patterns.
    """

    what: str
    play: Callable[[Bed], None]
    after: str | tuple[str, ...]
    events: str | tuple[str, ...]
    bot: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    policies: tuple[str, ...] = POLICIES


def ill(words: str, *, dies: int = 1) -> Callable[[Bed], None]:
    """It falls ill and dies of it, so many times."""

    def play(bed: Bed) -> None:
        bed.mood(words)
        until(lambda: [event.action for event in bed.engine.events(bed.name)].count("die") >= dies, f"{bed.name} dies")

    return play


def kill_from_inside(bed: Bed) -> None:
    bed.engine.docker("exec", bed.name, "/bin/kill", "-9", "1")


def hup_then_crash(bed: Bed) -> None:
    bed.docker("kill", "-s", "HUP")
    bed.heard(1)
    bed.crash()


def restart_then_crash(bed: Bed) -> None:
    bed.docker("restart", "-t", "5")
    bed.up(2)
    bed.crash()


def kill_start_then_crash(bed: Bed) -> None:
    bed.docker("kill")
    bed.docker("start")
    bed.up(2)
    bed.crash()


def stop_then_restart(bed: Bed) -> None:
    bed.docker("stop")
    bed.docker("restart")


def pause_then(verb: str) -> Callable[[Bed], None]:
    def play(bed: Bed) -> None:
        bed.docker("pause")
        bed.docker(verb)

    return play


def recreate(bed: Bed) -> None:
    bed.docker("stop")
    bed.docker("rm")
    lodge(bed.engine, bed.folder, bed.name)


def end_an_attached_client(bed: Bed) -> None:
    with subprocess.Popen(
        ["docker", "-H", bed.engine.host, "attach", "--no-stdin", bed.name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as client:
        until(lambda: any(event.action == "attach" for event in bed.engine.events(bed.name, but=())), "it is attached")
        pause(0.3)
        client.terminate()
        client.wait(10)


def starve_a_child(bed: Bed) -> None:
    bed.mood("child eats 300")
    until(lambda: any(event.action == "oom" for event in bed.engine.events(bed.name)), "the child is killed")


def starve_a_child_then_end(bed: Bed) -> None:
    starve_a_child(bed)
    until(lambda: not (bed.folder / "moods" / bed.name).exists(), "its parent goes on")
    ill("exit 1")(bed)


DOWN = "exited 1 by hand"
SMALL = ("--memory", "48m")
OOM = "(oom, )+die 137|die 137(, oom)+"

ROWS = (
    Row("docker kill", lambda bed: bed.docker("kill"), DOWN, "kill 9, die 137"),
    Row("docker kill -s TERM", lambda bed: bed.docker("kill", "-s", "TERM"), DOWN, "kill 15, die 0"),
    Row("docker stop", lambda bed: bed.docker("stop"), DOWN, "kill 15, die 0, stop"),
    Row("docker stop, no handler", lambda bed: bed.docker("stop", "-t", "1"), DOWN, "kill 15, kill 9, die 137, stop", ("bare",)),
    Row(
        "docker stop, stop signal KILL",
        lambda bed: bed.docker("stop"),
        DOWN,
        "kill 9, die 137, stop",
        flags=("--stop-signal", "KILL"),
    ),
    Row("SIGKILL from the host", Bed.crash, "running 2", "die 137, start"),
    Row(
        "SIGTERM from the host, ends with 0",
        lambda bed: bed.host(signal.SIGTERM),
        ("running 2", "running 2", "exited 1"),
        ("die 0, start", "die 0, start", "die 0"),
    ),
    Row("SIGTERM from the host to PID 1 without handler", lambda bed: bed.host(signal.SIGTERM), "running 1", "", ("bare",)),
    Row("kill -9 1 inside", kill_from_inside, "running 1", ""),
    Row("docker kill -s HUP, later a crash", hup_then_crash, DOWN, "kill 1, die 137"),
    Row("docker restart, later a crash", restart_then_crash, "running 3", "kill 15, die 0, stop, start, restart, die 137, start"),
    Row("docker kill and start, later a crash", kill_start_then_crash, "running 3", "kill 9, die 137, start, die 137, start"),
    Row("docker stop, docker restart", stop_then_restart, "running 2", "kill 15, die 0, stop, start, restart"),
    Row("docker pause, unpause", pause_then("unpause"), "running 1", "pause, unpause"),
    Row("docker pause", lambda bed: bed.docker("pause"), "paused 1", "pause"),
    Row("docker pause, stop", pause_then("stop"), DOWN, "pause, kill 15, unpause, die 0, stop"),
    Row("docker pause, restart", pause_then("restart"), "running 2", "pause, kill 15, unpause, die 0, stop, start, restart"),
    Row("docker rm -f", lambda bed: bed.docker("rm", "-f"), "gone 1", "kill 9, die 137, destroy", policies=("unless-stopped",)),
    Row("re-creation", recreate, "running 2", "kill 15, die 0, stop, destroy, start", policies=("unless-stopped",)),
    Row("--rm", ill("exit 0"), "gone 1", "die 0, destroy", flags=("--rm",), policies=("no",)),
    Row("exit 1, no policy", ill("exit 1"), "exited 1", "die 1", policies=("no",)),
    Row(
        "exit 1 for ever, two tries",
        ill("exit 1 for ever", dies=3),
        "exited 3",
        "die 1, start, die 1, start, die 1",
        policies=("on-failure:2",),
    ),
    Row("TERM to an attached client", end_an_attached_client, DOWN, "kill 15, die 0", policies=("unless-stopped",)),
    # The kernel tells of memory by a way of its own: twice at times, or after the death, which then counts as none for the flag.
    Row("OOM of PID 1", ill("eat 300"), "running 2( oom)?", f"({OOM}), start", flags=SMALL),
    Row("OOM of PID 1, no policy", ill("eat 300"), "exited 1( oom)?", OOM, flags=SMALL, policies=("no",)),
    Row("OOM of a child", starve_a_child, "running 1", "oom(, oom)*", flags=SMALL, policies=("no",)),
    Row(
        "OOM of a child, its parent ends later",
        starve_a_child_then_end,
        "exited 1 oom",
        "(oom, )+die 1",
        flags=SMALL,
        policies=("no",),
    ),
)
CASES = [(row, policy) for row in ROWS for policy in row.policies]
IDS = [f"{row.what}-{policy}".replace(" ", "_") for row, policy in CASES]


@dataclass(frozen=True)
class Answer:
    after: str
    events: str


@pytest.fixture(scope="module")
def answers(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Answer]]:
    """All rows are played side by side, and looked at when the engine is calm."""
    folder = tmp_path_factory.mktemp("matrix")
    beds = {case: Bed(engine, folder, f"row-{number}") for number, case in enumerate(IDS)}
    with ThreadPoolExecutor(4) as hands:
        for played in [hands.submit(play, beds[case], row, policy) for case, (row, policy) in zip(IDS, CASES, strict=True)]:
            played.result()
    pause(CALM)
    yield {case: look(bed) for case, bed in beds.items()}
    engine.clear()


def play(bed: Bed, row: Row, policy: str) -> None:
    lodge(bed.engine, bed.folder, bed.name, *row.bot, flags=row.flags, policy=policy)
    row.play(bed)


def look(bed: Bed) -> Answer:
    state = bed.engine.state(bed.name)
    words = [bed.engine.status(bed.name), str(starts(bed.folder, bed.name))]
    if state:
        words += ["oom"] * state["OOMKilled"] + ["by hand"] * bed.engine.by_hand(bed.name)
    return Answer(" ".join(words), ", ".join(str(event) for event in bed.engine.events(bed.name)[1:]))


@pytest.mark.parametrize(("row", "policy"), CASES, ids=IDS)
def test_the_engine_answers_as_the_product_relies_on(answers: dict[str, Answer], row: Row, policy: str) -> None:
    place = row.policies.index(policy)
    after = row.after if isinstance(row.after, str) else row.after[place]
    events = row.events if isinstance(row.events, str) else row.events[place]
    answer = answers[IDS[CASES.index((row, policy))]]
    as_ever = re.fullmatch(after, answer.after) and re.fullmatch(events, answer.events)
    assert as_ever, f"{row.what} under {policy}: this engine answers {answer}, not {after!r} with {events!r}"


def test_stop_comes_after_die_and_soon(engine: Engine, tmp_path: Path) -> None:
    """How long an exit must wait for the word that a person wanted it."""
    lodge(engine, tmp_path, "soon", policy="unless-stopped")
    engine.docker("stop", "soon")
    until(lambda: [event.action for event in engine.events("soon")] == ["start", "kill", "die", "stop"], "all events are there")
    at = {event.action: event.at for event in engine.events("soon")}
    assert at["stop"] - at["die"] < 1
    engine.docker("rm", "soon")


def test_a_created_container_has_no_process_and_nobody_stopped_it(engine: Engine, tmp_path: Path) -> None:
    engine.docker("create", *engine.shape("fresh", *lent(tmp_path)), "empty:1", *argv(tmp_path, "fresh"))
    assert (engine.status("fresh"), engine.by_hand("fresh")) == ("created", False)
    engine.docker("rm", "fresh")
