"""Reloading, only as the service declares it."""

from __future__ import annotations

import pytest

from recovery.actions.reload import Params, run
from recovery.errors import StepFailed, StepImpossible, Superseded
from tests.fakes.runtime import play
from tests.fakes.scene import Scene


def test_a_declared_signal_is_sent_to_the_instance_decided_on() -> None:
    async def film() -> None:
        scene = Scene(reload=("signal", "HUP"))
        assert (await run(Params(), scene.context())).detail == "SIGHUP sent"
        assert scene.runtime.deeds == ["HUP i1"]

    play(film())


def test_a_declared_url_is_called() -> None:
    async def film() -> None:
        scene = Scene(reload=("http", "http://127.0.0.1:8101/reload"))
        scene.has_runtime = False
        await run(Params(), scene.context())
        assert scene.outside.calls == [("http_call", "http://127.0.0.1:8101/reload")]

    play(film())


def test_undeclared_it_is_impossible() -> None:
    async def film() -> None:
        scene = Scene()
        with pytest.raises(StepImpossible, match="scraper declares no reload"):
            await run(Params(), scene.context())
        assert scene.runtime.deeds == []

    play(film())


def test_a_stranger_gets_no_signal() -> None:
    async def film() -> None:
        scene = Scene(reload=("signal", "HUP"))
        context = scene.context()
        scene.runtime.boot()
        with pytest.raises(Superseded):
            await run(Params(), context)

    play(film())


def test_a_bot_that_does_not_run_cannot_reload() -> None:
    async def film() -> None:
        scene = Scene(running=False, reload=("signal", "HUP"))
        with pytest.raises(StepFailed):
            await run(Params(), scene.context())

    play(film())


def test_an_answer_that_is_an_error_is_the_steps_error() -> None:
    async def film() -> None:
        scene = Scene(reload=("http", "http://127.0.0.1:8101/reload"))
        scene.outside.fails = StepFailed("HTTP 500")
        with pytest.raises(StepFailed, match="HTTP 500"):
            await run(Params(), scene.context())

    play(film())


def test_a_signal_needs_a_runtime() -> None:
    async def film() -> None:
        scene = Scene(reload=("signal", "HUP"))
        scene.has_runtime = False
        with pytest.raises(StepImpossible):
            await run(Params(), scene.context())

    play(film())
