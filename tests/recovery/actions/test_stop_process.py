"""Stopping: the longer grace, the one instance, nothing else."""

from __future__ import annotations

import pytest

from recovery.actions.stop_process import Params, run, takes
from recovery.errors import StepFailed, StepImpossible, Superseded
from tests.fakes.runtime import play
from tests.fakes.scene import Scene


@pytest.mark.parametrize(("grace", "seconds"), [(None, 10.0), (3.0, 10.0), (25.0, 25.0)])
def test_the_longer_of_both_graces_counts(grace: float | None, seconds: float) -> None:
    async def film() -> None:
        scene = Scene(ignores_term=True)
        result = await run(Params(grace), scene.context())
        assert result.detail == "killed"
        assert scene.clock.monotonic() == pytest.approx(seconds)
        assert takes(Params(grace), scene.target) == seconds

    play(film())


def test_with_kill_false_a_bot_that_does_not_end_stays() -> None:
    async def film() -> None:
        scene = Scene(ignores_term=True)
        with pytest.raises(StepFailed, match="still alive"):
            await run(Params(kill=False), scene.context())
        assert scene.runtime.sight.running

    play(film())


def test_a_bot_that_ended_meanwhile_is_stopped_already() -> None:
    async def film() -> None:
        scene = Scene(running=False)
        assert (await run(Params(), scene.context())).detail == "it did not run any more"
        assert scene.runtime.deeds == []

    play(film())


def test_a_stranger_in_its_place_is_not_stopped() -> None:
    async def film() -> None:
        scene = Scene()
        context = scene.context()
        scene.runtime.boot()
        with pytest.raises(Superseded):
            await run(Params(), context)
        assert scene.runtime.deeds == []

    play(film())


def test_without_a_runtime_it_is_impossible() -> None:
    async def film() -> None:
        scene = Scene()
        scene.has_runtime = False
        with pytest.raises(StepImpossible):
            await run(Params(), scene.context())

    play(film())
