"""Stop and start in one step."""

from __future__ import annotations

import pytest

from recovery.actions.restart import Params, run, takes
from recovery.errors import StepFailed, StepImpossible, Superseded
from recovery.ports import Life
from tests.fakes.runtime import play
from tests.fakes.scene import Scene


def test_a_running_bot_is_stopped_and_started() -> None:
    async def film() -> None:
        scene = Scene()
        result = await run(Params(), scene.context())
        assert result.detail == "ended by SIGTERM; started"
        assert scene.runtime.deeds == ["stop i1", "start"]
        assert result.sight == scene.runtime.sight

    play(film())


def test_a_bot_at_rest_is_only_started() -> None:
    async def film() -> None:
        scene = Scene(running=False)
        assert (await run(Params(), scene.context())).detail == "it did not run; started"

    play(film())


def test_a_target_of_a_busy_supervisor_is_left_to_it() -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.die(life=Life.BUSY)
        with pytest.raises(StepFailed, match="supervisor"):
            await run(Params(), scene.context())
        assert scene.runtime.deeds == []

    play(film())


def test_the_longer_grace_counts_for_the_stop() -> None:
    async def film() -> None:
        scene = Scene(ignores_term=True)
        await run(Params(grace=20.0), scene.context())
        assert scene.clock.monotonic() == pytest.approx(20.0)
        assert takes(Params(grace=20.0), scene.target) == 40.0

    play(film())


def test_a_stranger_is_neither_stopped_nor_joined_by_a_second_one() -> None:
    async def film() -> None:
        scene = Scene()
        context = scene.context()
        scene.runtime.boot()
        with pytest.raises(Superseded):
            await run(Params(), context)
        assert scene.runtime.deeds == []

    play(film())


def test_a_bot_that_ends_at_once_was_not_restarted() -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.boot = lambda ago=0.0: scene.runtime.die(1)  # type: ignore[method-assign]
        with pytest.raises(StepFailed, match="ended by SIGTERM; started, and it ended at once with exit code 1"):
            await run(Params(), scene.context())

    play(film())


def test_without_a_runtime_it_is_impossible() -> None:
    async def film() -> None:
        scene = Scene()
        scene.has_runtime = False
        with pytest.raises(StepImpossible):
            await run(Params(), scene.context())

    play(film())
