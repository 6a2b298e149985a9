"""Starts and ends are known when they happen, not when a check comes round."""

from __future__ import annotations

from recovery.errors import StepFailed
from tests.builders import Crew
from tests.fakes.runtime import play
from watchdog.decisions.lives import LOOK_AGAIN
from watchdog.model.records import Exit


def test_an_exit_is_known_in_the_moment_in_which_it_happens() -> None:
    async def film() -> None:
        crew = Crew({"bot": {"interval": "10m", "timeout": "30s"}})
        async with crew.at_work():
            await crew.wait(35)
            crew.runtimes["bot"].die(3)
            await crew.wait(0.1)
            assert crew.card().history.running is False
            assert crew.incident().reason == "its process ended (exit code 3)"
            assert [(row.code, row.ours) for row in crew.ledger.all(Exit)] == [(3, False)]

    play(film())


def test_a_start_by_somebody_else_is_known_within_a_second_and_is_no_work_for_us() -> None:
    async def film() -> None:
        crew = Crew(mode="observe")
        async with crew.at_work():
            await crew.wait(5)
            crew.runtimes["bot"].die(1)
            await crew.wait(10)
            crew.runtimes["bot"].boot()
            await crew.wait(LOOK_AGAIN + 0.1)
            assert crew.card().history.instance == "i2"
            await crew.wait(70)
            assert (crew.card().incident, crew.deeds()) == (None, [])

    play(film())


def test_a_restart_between_two_looks_is_an_exit_and_a_start() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            await crew.wait(40)
            crew.runtimes["bot"].boot()
            await crew.wait(0.1)
            assert crew.card().history.instance == "i2"
            assert crew.card().history.life.grace_until is not None
            await crew.wait(60)
            assert crew.deeds() == []

    play(film())


def test_a_target_that_cannot_be_looked_at_proves_nothing_and_is_looked_at_again() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            await crew.wait(5)
            crew.runtimes["bot"].fails = {"look": [StepFailed("permission denied")] * 3}
            crew.runtimes["bot"].die(1)
            await crew.wait(2.5)
            assert crew.card().history.running is True
            await crew.wait(2)
            assert crew.card().history.running is False

    play(film())
