"""The acts wait for what they expect to see, and fail when it is not so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.fakes.performance import evening, morning
from watchdog.demo.acts import ACTS, bring_up, database, hang, hopeless, reload
from watchdog.demo.scene import MissedError
from watchdog.demo.seen import Seen


class FakeScene:
    """Shows one moment after the other; the last one stays."""

    def __init__(self, *moments: Seen, left_behind: int = 0) -> None:
        self._moments = list(moments)
        self._left_behind = left_behind
        self.said: list[str] = []
        self.done: list[str] = []

    @property
    def seen(self) -> Seen:
        return self._moments[0]

    def say(self, text: str) -> None:
        self.said.append(text)

    async def until(self, true: Callable[[Seen], bool], what: str) -> None:
        while not true(self.seen):
            if len(self._moments) == 1:
                raise MissedError(what)
            self._moments.pop(0)

    async def pause(self, seconds: float) -> None:
        self.done.append("pause")

    def order(self, name: str, word: str) -> None:
        self.done.append(f"{word} {name}")

    async def kill(self, name: str) -> None:
        self.done.append(f"kill {name}")

    async def strangers(self, name: str) -> int:
        return self._left_behind


async def test_all_must_be_up() -> None:
    assert await bring_up(FakeScene(morning())) == "11 bots came up, each after what it needs."
    half = replace(morning(), runs=morning().runs[:5])
    with pytest.raises(MissedError, match="all bots answer"):
        await bring_up(FakeScene(half))


async def test_the_hung_bot_is_back_and_leaves_nobody_behind() -> None:
    scene = FakeScene(morning(), evening())
    close = await hang(scene)
    assert scene.done == ["hang wa-translator"]
    assert close == "WhatsApp Translator hung and ignored SIGTERM: killed with its browser, back after 7 s."
    with pytest.raises(MissedError, match="1 processes of the bot that hung"):
        await hang(FakeScene(evening(), left_behind=1))


async def test_the_degraded_bot_is_not_restarted() -> None:
    assert "no restart" in await reload(FakeScene(morning(), evening()))


async def test_those_on_the_database_are_left_alone() -> None:
    scene = FakeScene(morning(), evening())
    assert "Five bots on two levels came back by themselves, 0 restarts." in await database(scene)
    assert scene.done == ["kill postgres"]


async def test_no_act_goes_on_without_what_it_waits_for() -> None:
    for play in (hang, reload, database, hopeless):
        with pytest.raises(MissedError):
            await play(FakeScene(morning()))


async def test_the_hopeless_bot_ends_with_a_delivered_page() -> None:
    scene = FakeScene(morning(), evening())
    assert "one critical alert" in await hopeless(scene)
    assert [text for text in scene.said if text.startswith("Try")]
    unsent = replace(evening(), notices=(replace(evening().notices[0], delivered_at=None),))
    with pytest.raises(MissedError, match="a person is called"):
        await hopeless(FakeScene(unsent))


async def test_every_narration_fits_two_lines_of_100_columns() -> None:
    for act in ACTS:
        scene = FakeScene(morning(), evening())
        scene.said.append(await act.play(scene))
        assert all(len(text) <= 195 for text in scene.said)
