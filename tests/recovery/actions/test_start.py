"""Starting."""

from __future__ import annotations

import pytest

from recovery.actions.start import Params, run
from recovery.errors import StepFailed, StepImpossible
from tests.fakes.runtime import play
from tests.fakes.scene import Scene


def test_a_stopped_bot_is_started() -> None:
    async def film() -> None:
        scene = Scene(running=False)
        result = await run(Params(), scene.context())
        assert (result.detail, result.sight) == ("started", scene.runtime.sight)

    play(film())


def test_a_running_bot_is_not_started_again() -> None:
    async def film() -> None:
        scene = Scene()
        assert (await run(Params(), scene.context())).detail == "it runs already"
        assert scene.runtime.starts == 0

    play(film())


def test_a_start_that_cannot_work_is_told_as_it_is() -> None:
    async def film() -> None:
        scene = Scene(running=False)
        scene.runtime.fails["start"] = [StepImpossible("no such file: scraper")]
        with pytest.raises(StepImpossible, match="no such file"):
            await run(Params(), scene.context())

    play(film())


def test_a_bot_that_ends_at_once_was_not_started() -> None:
    async def film() -> None:
        scene = Scene(running=False)
        scene.runtime.boot = lambda ago=0.0: scene.runtime.die(1)  # type: ignore[method-assign]
        with pytest.raises(StepFailed, match="ended at once with exit code 1"):
            await run(Params(), scene.context())

    play(film())


def test_without_a_runtime_it_is_impossible() -> None:
    async def film() -> None:
        scene = Scene()
        scene.has_runtime = False
        with pytest.raises(StepImpossible):
            await run(Params(), scene.context())

    play(film())
