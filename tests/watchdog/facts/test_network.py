"""Our own way out: asked once for many, believed for a moment, and never held for down without targets."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tests.fakes.runtime import FakeClock, play
from watchdog.facts.network import BELIEVED, OwnNetwork


class Targets:
    """answer: what asking them tells. takes: seconds."""

    def __init__(self, clock: FakeClock, answer: bool | None, takes: float = 0.0) -> None:
        self.clock, self.answer, self.takes = clock, answer, takes
        self.asked: list[tuple[Sequence[str], float]] = []

    async def reachable(self, targets: Sequence[str], deadline: float) -> bool | None:
        self.asked.append((targets, deadline))
        await self.clock.sleep(self.takes)
        return self.answer

    def network(self) -> OwnNetwork:
        return OwnNetwork(lambda: ("1.1.1.1:53",), self.reachable, self.clock)


@pytest.mark.parametrize(("answer", "up"), [(True, True), (False, False), (None, True)])
def test_it_is_down_only_when_every_target_is_silent(answer: bool | None, up: bool) -> None:
    async def film() -> None:
        targets = Targets(FakeClock(), answer)
        assert await targets.network().up() is up
        assert targets.asked == [(("1.1.1.1:53",), 5.0)]

    play(film())


def test_many_failing_checks_ask_once_and_the_answer_is_believed_for_a_moment() -> None:
    async def film() -> None:
        targets = Targets(FakeClock(), False, takes=2.0)
        network = targets.network()
        assert await asyncio.gather(*(network.up() for _ in range(100))) == [False] * 100
        assert len(targets.asked) == 1
        targets.answer = True
        await targets.clock.sleep(BELIEVED)
        assert await network.up() is False
        await targets.clock.sleep(0.1)
        assert await network.up() is True

    play(film())
