"""Waiting."""

from __future__ import annotations

import pytest

from recovery.actions.wait import Params, run, takes
from tests.fakes.runtime import play
from tests.fakes.scene import Scene, book, healed


def test_it_waits_as_long_as_it_says() -> None:
    async def film() -> None:
        scene = Scene()
        result = await run(Params(90.0), scene.context())
        assert result.detail == "waited 1 min 30 s"
        assert scene.clock.monotonic() == pytest.approx(90.0)
        assert takes(Params(90.0), scene.target) == 90.0

    play(film())


def test_a_long_wait_is_not_cut_by_the_usual_time_limit_of_a_step() -> None:
    async def film() -> None:
        scene = Scene()
        run_ = await scene.heal(book("[{wait: {for: 5m}}]"))
        assert healed(run_)
        assert run_.steps[0].ended_at == run_.started_at + 300.0

    play(film())
