"""Stacks: stored with the incident, told in one line, and never in the way."""

from __future__ import annotations

import asyncio

import pytest

from recovery.actions.capture_stacks import LONGEST, Params, run
from recovery.errors import StepFailed, StepImpossible
from recovery.model import StepOutcome
from tests.fakes.runtime import STACK, play
from tests.fakes.scene import Scene, book

CAPTURE = "[{capture_stacks: {}, timeout: 15s, on_failure: continue}, {stop_process: {}}, {ensure_running: {}}]"


def test_the_text_is_kept_and_the_line_names_the_busiest_function() -> None:
    async def film() -> None:
        scene = Scene()
        result = await run(Params(), scene.context())
        assert result.detail == STACK == "1 process, 1 thread; active in parse (bot.py:41)"
        assert scene.kept[0].splitlines()[0] == "stacks"
        assert "parse (bot.py:41)" in scene.kept[0]

    play(film())


def test_one_that_hangs_costs_fifteen_seconds_whatever_the_step_allows() -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.hangs = {"stacks"}
        with pytest.raises(StepFailed, match=r"^no stacks within 15 s$"):
            await run(Params(), scene.context())
        assert asyncio.get_running_loop().time() == LONGEST
        assert scene.kept == []

    play(film())


def test_nothing_that_runs_here_or_now_is_said() -> None:
    async def film() -> None:
        scene = Scene()
        scene.has_runtime = False
        with pytest.raises(StepImpossible, match="no runtime"):
            await run(Params(), scene.context())
        with pytest.raises(StepFailed, match="it does not run"):
            await run(Params(), Scene(running=False).context())

    play(film())


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (StepImpossible("it is no Python: perl (pid 7)"), StepOutcome.IMPOSSIBLE),
        (StepFailed("py-spy did not end in time"), StepOutcome.FAILED),
        (OSError(5, "I/O error"), StepOutcome.FAILED),
    ],
)
def test_the_bot_is_restarted_all_the_same_and_the_step_says_why(error: Exception, outcome: StepOutcome) -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.fails = {"stacks": [error]}
        run = await scene.heal(book(CAPTURE))
        assert run.steps[0].outcome is outcome
        assert str(error) in run.steps[0].detail
        assert [step.outcome for step in run.steps[1:]] == [StepOutcome.OK, StepOutcome.OK]
        assert scene.runtime.starts == 1

    play(film())


def test_a_capture_that_hangs_delays_the_restart_by_fifteen_seconds() -> None:
    async def film() -> None:
        scene = Scene()
        scene.runtime.hangs = {"stacks"}
        run = await scene.heal(book(CAPTURE))
        first, stop = run.steps[0], run.steps[1]
        assert stop.intent_at - first.intent_at <= LONGEST
        assert first.outcome is StepOutcome.FAILED
        assert "15 s" in first.detail
        assert run.steps[2].outcome is StepOutcome.OK

    play(film())
