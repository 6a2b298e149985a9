"""Evidence: complete where it can be, and never in the way."""

from __future__ import annotations

import asyncio

import pytest

from recovery.actions.capture_evidence import Params, run
from recovery.errors import StepFailed
from recovery.ports import Sight, Vitals
from tests.fakes.runtime import play
from tests.fakes.scene import Scene


def test_observations_vitals_and_the_end_of_the_log_are_kept() -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.log = [f"line {n}" for n in range(100)]
        await run(Params(lines=2), scene.context())
        assert scene.kept[0].splitlines() == [
            "evidence",
            "Observations:",
            "  timeout",
            "  timeout",
            "",
            "Process:",
            "  pid 1001",
            "  cpu 99 % of one core",
            "  memory 250 MB",
            "  open files 12",
            "  sockets 3",
            "  processes 2",
            "  state R",
            "",
            "Log:",
            "  line 98",
            "  line 99",
        ]

    play(film())


def test_what_only_its_kind_of_runtime_can_tell_is_kept_too() -> None:
    async def film() -> None:
        scene = Scene()

        async def vitals(sight: Sight) -> Vitals:
            return Vitals(cpu=1.0, more=("image bot:1", "OOMKilled yes"))

        scene.runtime.vitals = vitals  # type: ignore[method-assign]
        await run(Params(), scene.context())
        assert "  cpu 1 % of one core\n  image bot:1\n  OOMKilled yes\n" in scene.kept[0]

    play(film())


@pytest.mark.parametrize("hung", [{"log_tail"}, {"vitals"}, {"log_tail", "vitals"}])
def test_a_source_that_hangs_costs_less_than_ten_seconds_and_the_others_are_kept(hung: set[str]) -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.hangs = hung
        await run(Params(), scene.context())
        assert asyncio.get_running_loop().time() < 10.0
        assert "could not be read within" in scene.kept[0]
        assert ("cycle done" in scene.kept[0]) == ("log_tail" not in hung)
        assert ("250 MB" in scene.kept[0]) == ("vitals" not in hung)

    play(film())


@pytest.mark.parametrize(
    "error", [StepFailed("no /proc"), OSError(5, "I/O error"), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad")]
)
def test_a_source_that_fails_is_said_and_fails_nothing(error: Exception) -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.fails = {"log_tail": [error], "vitals": [error]}
        await run(Params(), scene.context())
        assert scene.kept[0].count("could not be read") == 2

    play(film())


def test_a_dead_bot_still_has_a_log() -> None:
    async def film() -> None:
        scene = Scene(running=False)
        scene.runtime.die(1)
        await run(Params(), scene.context())
        assert "not running (stopped), exit code 1" in scene.kept[0]
        assert "cycle done" in scene.kept[0]

    play(film())


def test_without_a_runtime_the_observations_are_kept() -> None:
    async def film() -> None:
        scene = Scene()
        scene.has_runtime = False
        await run(Params(), scene.context())
        assert scene.kept == ["evidence\nObservations:\n  timeout\n  timeout"]

    play(film())


def test_a_line_of_a_megabyte_is_cut() -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.log = ["x" * 1_000_000]
        await run(Params(), scene.context())
        assert len(scene.kept[0]) < 1000

    play(film())


@pytest.mark.parametrize("lines", [0, 501])
def test_the_number_of_lines_has_bounds(lines: int) -> None:
    with pytest.raises(ValueError, match="between 1 and 500"):
        Params(lines)


@pytest.mark.parametrize(("zombies", "told"), [(99, 0), (17800, 1)])
def test_a_table_full_of_dead_children_is_told_with_what_would_help(zombies: int, told: int) -> None:
    """D24."""

    async def film() -> None:
        scene = Scene()

        async def vitals(sight: Sight) -> Vitals:
            assert sight.running
            return Vitals(processes=3, zombies=zombies)

        scene.runtime.vitals = vitals  # type: ignore[method-assign]
        await run(Params(), scene.context())
        assert f"  dead children {zombies}" in scene.kept[0]
        assert [note for note in scene.notes if "init: true" in note and "pids_limit" in note] == scene.notes[:told]
        assert len(scene.notes) == told

    play(film())
