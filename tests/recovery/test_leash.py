"""Waiting that the core can end."""

from __future__ import annotations

import asyncio

import pytest

from recovery.leash import CalledBackError, drop, pause, unless_called
from recovery.ports import Stop
from tests.fakes.runtime import FakeClock, FakeLeash, later, play


def test_work_that_ends_first_gives_its_result() -> None:
    async def work() -> str:
        await FakeClock().sleep(5.0)
        return "done"

    async def film() -> str:
        return await unless_called(work(), FakeLeash())

    assert play(film()) == "done"


def test_a_call_cancels_the_work_and_waits_until_it_is_gone() -> None:
    ended: list[float] = []

    async def work() -> None:
        try:
            await FakeClock().sleep(60.0)
        finally:
            ended.append(FakeClock().monotonic())

    async def film() -> None:
        leash = FakeLeash()
        later(2.0, leash.call, Stop.HOLD)
        with pytest.raises(CalledBackError):
            await unless_called(work(), leash)
        assert ended == [2.0]

    play(film())


def test_a_run_that_was_called_back_already_begins_nothing() -> None:
    begun: list[str] = []

    async def work() -> None:
        begun.append("work")

    async def film() -> None:
        leash = FakeLeash()
        leash.call(Stop.CANCEL)
        with pytest.raises(CalledBackError):
            await unless_called(work(), leash)
        assert begun == []

    play(film())


def test_an_error_of_the_work_is_raised() -> None:
    async def work() -> None:
        raise ValueError("no")

    async def film() -> None:
        with pytest.raises(ValueError, match="no"):
            await unless_called(work(), FakeLeash())

    play(film())


def test_a_pause_lasts_as_long_as_it_says() -> None:
    async def film() -> float:
        await pause(FakeClock(), 30.0, FakeLeash())
        return FakeClock().monotonic()

    assert play(film()) == 30.0


def test_dropped_work_is_gone_and_its_error_is_nobodys() -> None:
    async def broken() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise RuntimeError("while being dropped")

    async def film() -> None:
        task = asyncio.ensure_future(broken())
        await asyncio.sleep(0)
        await drop(task)
        assert task.done()

    play(film())
