"""What is new or did not survive a boot is started in the graph's order; what an earlier life began is finished (SPEC 5, 7)."""

from __future__ import annotations

import asyncio
from typing import Any

from recovery.errors import StepFailed
from recovery.model import RunOutcome
from tests.builders import Crew, settings
from tests.fakes.prober import HANG
from tests.fakes.runtime import play
from watchdog.model.incident import Stage
from watchdog.model.records import Memory


def down(crew: Crew) -> Crew:
    """Nothing of it runs when the daemon starts."""
    for runtime in crew.runtimes.values():
        runtime.die()
    return crew


def starts(crew: Crew) -> list[str]:
    """Who was started, in the order of time."""
    begun = [(runtime.sight.started_at or 0.0, name) for name, runtime in crew.runtimes.items() if runtime.starts]
    return [name for _, name in sorted(begun)]


def test_a_new_fleet_is_started_from_the_ground_up_without_an_incident() -> None:
    async def film() -> None:
        crew = down(Crew({"bot": {"depends_on": ["cache"]}, "cache": {"depends_on": ["db"]}, "db": {}}))
        for runtime in crew.runtimes.values():
            runtime.takes = {"start": 3.0}
        async with crew.at_work():
            await crew.wait(60)
            assert starts(crew) == ["db", "cache", "bot"]
            assert all(card.incident is None and card.last is None for card in crew.app.fleet)
            runs = [run for card in crew.app.fleet for run in card.runs]
            assert {(run.playbook, run.charged, run.outcome) for run in runs} == {("bring-up", True, RunOutcome.HEALED)}

    play(film())


def test_who_runs_already_is_adopted_and_not_started() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            await crew.wait(60)
            assert crew.deeds() == []
            assert crew.card().history.instance == "i1"

    play(film())


def test_a_dependency_that_does_not_come_up_is_no_reason_to_wait_for_ever() -> None:
    async def film() -> None:
        crew = down(Crew({"db": {}, "bot": {"depends_on": ["db"]}}))
        crew.runtimes["db"].fails = {"start": [StepFailed("no such file")] * 9}
        async with crew.at_work():
            await crew.wait(120)
            assert crew.runtimes["bot"].starts == 1

    play(film())


def test_known_and_of_the_same_boot_not_running_is_an_exit_and_after_a_boot_it_is_brought_up() -> None:
    async def film(boot: str) -> Crew:
        crew = Crew()
        async with crew.at_work():
            await crew.wait(40)
        assert crew.ledger.all(Memory)
        crew.runtimes["bot"].die(1)
        crew.boot = boot
        crew.next_life()
        async with crew.at_work():
            await crew.wait(60)
        return crew

    same = play(film("b00t"))
    assert [run.playbook for run in same.card().runs] == ["start-exited"]
    assert same.last().symptom == "exited"
    other = play(film("another b00t"))
    assert [run.playbook for run in other.card().runs] == ["bring-up"]
    assert other.card().last is None


def test_what_is_held_or_observed_is_not_started() -> None:
    async def film() -> None:
        crew = down(Crew(mode="observe"))
        async with crew.at_work():
            await crew.wait(120)
            assert crew.deeds() == []
        crew = Crew()
        async with crew.at_work():
            await crew.ask("stop", service="bot", for_=3600.0)
        crew.next_life()
        async with crew.at_work():
            await crew.wait(120)
            assert crew.deeds() == ["stop i1"]

    play(film())


def test_a_stop_that_a_person_asked_for_just_before_the_crash_is_carried_out() -> None:
    async def film() -> None:
        crew = Crew()
        crew.runtimes["bot"].hangs = {"stop"}
        async with crew.at_work():
            stop = asyncio.create_task(crew.ask("stop", service="bot", for_=3600.0))
            await crew.wait(1)
            stop.cancel()
        crew.runtimes["bot"].hangs = set()
        crew.next_life()
        async with crew.at_work():
            await crew.wait(60)
            assert not crew.runtimes["bot"].sight.running
            assert crew.card().incident is None

    play(film())


def test_at_most_as_many_at_a_time_as_the_guards_say() -> None:
    async def film() -> None:
        names = [f"bot-{n}" for n in range(6)]
        crew = down(Crew({name: {} for name in names}, guards={"settle": "0s", "concurrent": 2}))
        for runtime in crew.runtimes.values():
            runtime.takes = {"start": 10.0}
        async with crew.at_work() as app:
            most = 0
            for _ in range(300):
                await crew.wait(0.2)
                most = max(most, app.fleet.working)
            assert most == 2
            assert len(starts(crew)) == 6

    play(film())


async def killed_at(crew: Crew, when: Any) -> None:
    """A first life that ends when it is so, and the next one."""
    async with crew.at_work():
        crew.prober.says["bot"] = HANG
        await crew.until(when)
    crew.next_life()


def test_f02_a_bot_that_we_stopped_is_brought_back_by_the_next_life_and_started_once() -> None:
    async def film() -> None:
        crew = Crew()
        crew.runtimes["bot"].hangs = {"start"}
        await killed_at(crew, lambda: not crew.runtimes["bot"].sight.running)
        crew.runtimes["bot"].hangs, crew.prober.says = set(), {}
        async with crew.at_work():
            await crew.wait(120)
            assert crew.deeds() == ["stop i1", "start"]
            assert crew.last().outcome == "healed"

    play(film())


def test_f02_a_run_that_had_touched_nothing_is_interrupted_and_refunded() -> None:
    async def film() -> None:
        crew = Crew()
        crew.runtimes["bot"].takes = {"log_tail": 5.0}
        await killed_at(crew, lambda: crew.card().active is not None)
        crew.runtimes["bot"].takes = {}
        async with crew.at_work():
            await crew.wait(1)
            (run,) = [each for each in crew.card().runs if each.id == 1]
            assert (run.outcome, run.refunded) == (RunOutcome.INTERRUPTED, True)
            assert crew.deeds() == []
            assert crew.incident().stage is not Stage.HEALING

    play(film())


def test_an_open_run_of_a_bot_whose_runtime_is_gone_is_ended() -> None:
    async def film() -> None:
        crew = Crew()
        crew.runtimes["bot"].takes = {"stop": 5.0}
        await killed_at(crew, crew.touched)
        crew.settings = settings({"bot": {"runtime": None}}, **crew.more)
        crew.next_life()
        async with crew.at_work():
            await crew.wait(1)
            (run,) = crew.card().runs
            assert (run.outcome, run.detail) == (RunOutcome.INTERRUPTED, "its playbook or runtime is gone")
            await crew.wait(300)
            assert crew.incident().stage is Stage.PERSON

    play(film())


def test_a_service_added_by_a_reload_that_is_not_running_is_started() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work() as app:
            await crew.wait(40)
            both = settings({"bot": {}, "new": {}}, **crew.more)
            crew.runtime(both.services["new"])
            crew.runtimes["new"].die()
            await app.reload(both, crew.books)
            await crew.wait(10)
            assert crew.deeds("new") == ["start"]
            assert crew.deeds("bot") == []

    play(film())
