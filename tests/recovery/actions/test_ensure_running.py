"""Bringing back: what is at rest is started, once."""

from __future__ import annotations

import pytest

from recovery.actions.ensure_running import Params, run
from recovery.errors import StepFailed, StepImpossible
from recovery.ports import Life
from tests.fakes.runtime import later, play
from tests.fakes.scene import Scene


def test_a_running_bot_is_left_alone() -> None:
    async def film() -> None:
        scene = Scene()
        result = await run(Params(), scene.context())
        assert (result.detail, scene.runtime.starts) == ("it runs", 0)
        assert result.sight == scene.runtime.sight

    play(film())


@pytest.mark.parametrize("life", [Life.STOPPED, Life.GONE])
def test_what_is_at_rest_is_started(life: Life) -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.die(life=life)
        result = await run(Params(), scene.context())
        assert (result.detail, scene.runtime.starts) == ("started", 1)

    play(film())


def test_a_busy_supervisor_is_let_to_act() -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.die(life=Life.BUSY)
        later(4.2, scene.runtime.boot)
        result = await run(Params(), scene.context())
        assert (result.detail, scene.runtime.starts) == ("its supervisor brought it back", 0)
        assert scene.clock.monotonic() == pytest.approx(4.5)

    play(film())


def test_a_supervisor_that_gives_up_leaves_the_start_to_us() -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.die(life=Life.BUSY)
        later(4.2, scene.runtime.die)
        await run(Params(), scene.context())
        assert scene.runtime.starts == 1

    play(film())


def test_a_supervisor_that_never_ends_is_not_helped_by_force() -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.die(life=Life.BUSY)
        with pytest.raises(StepFailed, match="still at work on it after 30 s"):
            await run(Params(), scene.context())
        assert scene.runtime.starts == 0

    play(film())


def test_a_bot_that_ends_at_once_is_not_started_a_second_time() -> None:
    async def film() -> None:
        scene = Scene(running=False)
        runtime = scene.runtime
        begin = runtime.boot

        def short(ago: float = 0.0) -> None:
            begin(ago)
            runtime.die(3)

        runtime.boot = short  # type: ignore[method-assign]
        with pytest.raises(StepFailed, match="exit code 3"):
            await run(Params(), scene.context())
        assert runtime.starts == 1

    play(film())


def test_without_a_runtime_it_is_impossible() -> None:
    async def film() -> None:
        scene = Scene()
        scene.has_runtime = False
        with pytest.raises(StepImpossible):
            await run(Params(), scene.context())

    play(film())
