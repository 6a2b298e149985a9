"""Where nobody could hear it: what is found after a gap, and after the engine's own restart."""

from __future__ import annotations

from typing import Any

import pytest

from recovery.ports import Life
from tests.builders import Crew
from tests.fakes.runtime import play
from watchdog.model.container import Deed
from watchdog.model.incident import Tier

BOXED: dict[str, Any] = {"runtime": {"docker": "bot"}}


def left(crew: Crew) -> Deed | None:
    hand = crew.card().by_hand
    return hand.deed if hand is not None else None


@pytest.mark.parametrize(("seconds", "deed"), [(0.5, None), (6, Deed.STOPPED)])
def test_a_stop_while_the_engine_comes_up_is_its_own_whatever_its_record_says(seconds: float, deed: Deed | None) -> None:
    """After a crash it ends what outlived it, and then says of all that somebody stopped it."""

    async def film() -> None:
        crew = Crew({"bot": BOXED}, guards={"settle": "20s"})
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().fall()
            await crew.wait(5)
            crew.dock().up = True
            await crew.wait(seconds)
            await crew.person().stop()
            crew.dock().record["bot"] = True
            await crew.wait(30)
            assert left(crew) is deed
            assert crew.deeds() == ([] if deed else ["start"])

    play(film())


def test_what_nobody_has_looked_at_since_the_engine_s_return_is_looked_at_first() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED}, guards={"settle": "20s"})
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().fall()
            await crew.wait(5)
            crew.runtimes["bot"].die(0)
            crew.dock().up = True
            await crew.wait(40)
            assert [run.playbook for run in crew.card().runs] == ["bring-up"]
            assert crew.told(Tier.SOFT) == []

    play(film())


def test_an_engine_that_goes_again_while_that_is_cleared_up_is_waited_for_once_more() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED}, guards={"settle": "20s"})
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().fall()
            crew.runtimes["bot"].die(0)
            await crew.wait(5)
            for up in (True, False):
                crew.dock().up = up
                if not up:
                    crew.dock().fall()
                await crew.wait(10)
            await crew.wait(30)
            assert crew.deeds() == []
            crew.dock().up = True
            await crew.wait(40)
            assert crew.deeds() == ["start"]

    play(film())


def test_in_observe_nothing_is_brought_back_after_the_engine_s_restart() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED}, mode="observe")
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().fall()
            crew.runtimes["bot"].die(0)
            await crew.wait(5)
            crew.dock().up = True
            await crew.wait(120)
            assert crew.deeds() == []
            assert crew.incident().symptom == "exited"

    play(film())


@pytest.mark.parametrize(
    ("life", "words"),
    [(Life.GONE, "removed by hand (there is no such container)"), (Life.STOPPED, "stopped by hand (by Docker's own record)")],
)
def test_what_was_found_afterwards_says_so(life: Life, words: str) -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED})
        async with crew.at_work():
            await crew.wait(65)
        crew.next_life()
        crew.runtimes["bot"].die(0, life)
        crew.dock().record["bot"] = True
        async with crew.at_work():
            await crew.wait(5)
            assert crew.card().history.reason == words

    play(film())
