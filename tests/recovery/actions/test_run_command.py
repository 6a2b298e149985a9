"""Commands of the configuration by name."""

from __future__ import annotations

import pytest

from recovery.actions.run_command import Params, run, takes
from recovery.errors import StepFailed, StepImpossible
from recovery.model import Effect
from tests.fakes.runtime import play
from tests.fakes.scene import ACTIONS, Scene, book


def test_a_command_of_the_configuration_is_run() -> None:
    async def film() -> None:
        scene = Scene(commands=frozenset({"clear-lock"}))
        result = await run(Params("clear-lock"), scene.context())
        assert result.detail == "clear-lock: done"
        assert scene.outside.calls == [("run_command", "clear-lock")]
        assert takes(Params("clear-lock", within=120.0), scene.target) == 120.0

    play(film())


def test_any_other_is_impossible() -> None:
    async def film() -> None:
        scene = Scene(commands=frozenset({"clear-lock"}))
        with pytest.raises(StepImpossible, match="no command 'rm'"):
            await run(Params("rm"), scene.context())
        assert scene.outside.calls == []

    play(film())


def test_its_failure_is_the_steps() -> None:
    async def film() -> None:
        scene = Scene(commands=frozenset({"clear-lock"}))
        scene.outside.fails = StepFailed("exit code 3: no such lock")
        with pytest.raises(StepFailed, match="exit code 3"):
            await run(Params("clear-lock"), scene.context())

    play(film())


@pytest.mark.parametrize(
    ("written", "effect"), [("", Effect.RESTART), (", effect: none", Effect.NONE), (", effect: destructive", Effect.DESTRUCTIVE)]
)
def test_the_playbook_declares_what_it_does(written: str, effect: Effect) -> None:
    assert book(f"[{{run_command: {{name: x{written}}}}}]").effect is effect
    assert ACTIONS["run_command"].effect is Effect.RESTART
