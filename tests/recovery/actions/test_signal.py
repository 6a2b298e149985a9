"""One signal to one instance."""

from __future__ import annotations

import pytest

from recovery.actions.signal import Params, run
from recovery.errors import StepFailed, StepImpossible, Superseded
from recovery.params import read
from tests.fakes.runtime import play
from tests.fakes.scene import ACTIONS, Scene


def test_the_signal_goes_to_the_instance_decided_on() -> None:
    async def film() -> None:
        scene = Scene()
        assert (await run(Params("USR1"), scene.context())).detail == "SIGUSR1 sent"
        assert scene.runtime.deeds == ["USR1 i1"]

    play(film())


@pytest.mark.parametrize("name", ["KILL", "STOP", "TERM", "SIGHUP", "hup", "9"])
def test_signals_that_end_or_stop_a_bot_are_no_choice(name: str) -> None:
    with pytest.raises(ValueError, match="is none of HUP"):
        read(ACTIONS["signal"].hints["name"], name)


def test_a_bot_that_does_not_run_gets_none() -> None:
    async def film() -> None:
        scene = Scene(running=False)
        with pytest.raises(StepFailed):
            await run(Params("HUP"), scene.context())

    play(film())


def test_a_stranger_gets_none() -> None:
    async def film() -> None:
        scene = Scene()
        context = scene.context()
        scene.runtime.boot()
        with pytest.raises(Superseded):
            await run(Params("HUP"), context)
        assert scene.runtime.deeds == []

    play(film())


def test_without_a_runtime_it_is_impossible() -> None:
    async def film() -> None:
        scene = Scene()
        scene.has_runtime = False
        with pytest.raises(StepImpossible):
            await run(Params("HUP"), scene.context())

    play(film())
