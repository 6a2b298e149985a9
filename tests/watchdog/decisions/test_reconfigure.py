"""A reload: services are matched by name and keep their state; only what changed is called back (SPEC 3, F30)."""

from __future__ import annotations

import asyncio
from typing import Any

from recovery.model import RunOutcome
from tests.builders import Crew, settings
from tests.fakes.prober import HANG, OK
from tests.fakes.runtime import play
from watchdog.model.incident import Incident, Outcome, Stage
from watchdog.model.records import Segment
from watchdog.state.life import UNSEEN

OTHER_PROBE = {"probe": {"http": "http://127.0.0.1:9999/health"}}


async def reload(crew: Crew, services: dict[str, dict[str, Any]], **more: Any) -> str:
    """What the daemon does with a valid file."""
    return await crew.app.reload(settings(services, **{**crew.more, **more}), crew.books)


def test_what_changed_is_told_in_one_line() -> None:
    async def film() -> None:
        crew = Crew({"stays": {}, "goes": {}, "moves": {}})
        async with crew.at_work():
            await crew.wait(5)
            words = await reload(crew, {"stays": {}, "moves": OTHER_PROBE, "comes": {}})
            assert words == "added comes; removed goes (it keeps running); changed moves"
            assert await reload(crew, {"stays": {}, "moves": OTHER_PROBE, "comes": {}}) == "nothing changed"
            assert list(crew.app.fleet.cards) == ["stays", "moves", "comes"]

    play(film())


def test_state_counts_hold_and_incident_are_kept_by_name() -> None:
    async def film() -> None:
        crew = Crew({"bot": {}, "held": {}})
        async with crew.at_work():
            await crew.ask("hold", service="held", for_=3600.0)
            crew.prober.says["bot"] = HANG
            await crew.wait(100)
            before = crew.card().history.streaks.failing
            assert before == 3
            await reload(crew, {"bot": {"title": "The Bot"}, "held": {}})
            assert crew.card().history.streaks.failing == 3
            assert crew.incident().id == 1
            assert crew.card("held").hold is not None
            assert crew.card().service.title == "The Bot"
            await crew.wait(40)
            assert crew.deeds()[:1] == ["stop i1"]

    play(film())


def test_a_changed_probe_begins_fresh_counts_and_a_changed_title_does_not() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.wait(100)
            await reload(crew, {"bot": OTHER_PROBE})
            assert crew.card().history.streaks.failing == 0
            await crew.wait(60)
            assert crew.deeds() == []
            await crew.wait(120)
            assert crew.deeds()[:1] == ["stop i1"]

    play(film())


def test_a_removed_service_is_forgotten_with_its_incident_and_its_bot_keeps_running() -> None:
    async def film() -> None:
        crew = Crew({"bot": {}, "other": {}})
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.wait(100)
            await reload(crew, {"other": {}})
            asked = len(crew.prober.times("bot"))
            await crew.wait(300)
            assert len(crew.prober.times("bot")) == asked
            assert crew.runtimes["bot"].sight.running
            assert crew.deeds() == []
            assert crew.app.fleet.bad == {}
            last = [row for row in crew.ledger.all(Incident) if row.service == "bot"][-1]
            assert (last.outcome, last.reason) == (Outcome.REMOVED, "removed from the configuration")

    play(film())


def test_an_added_service_is_brought_up_and_asked_at_once_without_an_incident() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            await crew.wait(100)
            crew.runtime(settings({"new": {}}).services["new"])
            crew.runtimes["new"].die()
            await reload(crew, {"bot": {}, "new": {}})
            await crew.wait(10)
            assert crew.deeds("new") == ["start"]
            assert crew.card("new").incident is None
            assert crew.prober.times("new")
            assert [run.playbook for run in crew.card("new").runs] == ["bring-up"]

    play(film())


def test_the_run_of_a_changed_service_is_called_back_superseded_and_its_bot_is_up_as_before() -> None:
    async def film() -> None:
        crew = Crew({"bot": {}, "other": {}})
        crew.runtimes["bot"].takes = {"stop": 6.0}
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.until(crew.touched)
            await reload(crew, {"bot": OTHER_PROBE, "other": {}})
            run = crew.card().runs[-1]
            assert (run.outcome, crew.card().active) == (RunOutcome.SUPERSEDED, None)
            assert run.detail.startswith("the configuration of this service has changed")
            assert crew.deeds() == ["stop i1", "start"]

    play(film())


def test_f30_a_run_of_an_unchanged_service_finishes_with_the_steps_with_which_it_began() -> None:
    async def film() -> None:
        crew = Crew({"bot": {}, "other": {}})
        crew.runtimes["bot"].takes = {"stop": 6.0}
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.until(crew.touched)
            crew.prober.says["bot"] = "ok"
            crew.books = {name: book for name, book in crew.books.items() if name == "bring-up"}
            await reload(crew, {"bot": {"title": "renamed"}, "other": OTHER_PROBE})
            assert crew.card().active is not None
            await crew.wait(60)
            assert crew.card().runs[-1].outcome is RunOutcome.HEALED
            assert crew.deeds() == ["stop i1", "start"]

    play(film())


def test_a_changed_runtime_is_followed_and_the_old_one_is_let_go() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            await crew.wait(5)
            old = crew.runtimes.pop("bot")
            await reload(crew, {"bot": {"runtime": {"process": {"start": ["another"]}}}})
            new = crew.runtimes["bot"]
            assert crew.card().runtime is new
            await crew.wait(40)
            old.die(1)
            await crew.wait(30)
            assert (old.deeds, crew.card().incident) == ([], None)
            new.die(1)
            await crew.wait(30)
            assert new.deeds == ["start"]

    play(film())


def test_a_service_may_lose_its_runtime() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            await crew.wait(5)
            await reload(crew, {"bot": {"runtime": None}})
            assert crew.card().runtime is None
            crew.prober.says["bot"] = HANG
            await crew.wait(200)
            assert crew.deeds() == []
            assert crew.incident().stage is Stage.PERSON

    play(film())


def test_dependencies_are_those_of_the_new_file() -> None:
    async def film() -> None:
        crew = Crew({"db": {}, "bot": {}})
        async with crew.at_work():
            await reload(crew, {"db": {}, "bot": {"depends_on": ["db"]}})
            crew.prober.says["db"] = crew.prober.says["bot"] = HANG
            await crew.wait(125)
            assert crew.incident().blocked_by == "db"
            assert crew.deeds() == []

    play(film())


def test_another_interval_counts_from_now() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work():
            await crew.wait(35)
            await reload(crew, {"bot": {"interval": "5s", "timeout": "4s"}})
            await crew.wait(20)
            times = [at for at in crew.prober.times("bot") if at > 35]
            assert 3 <= len(times) <= 5

    play(film())


def test_a_reload_while_a_check_is_out_takes_no_answer_to_the_old_question() -> None:
    async def film() -> None:
        crew = Crew({"bot": {}, "other": {}})
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.wait(31)
            await reload(crew, {"other": {}})
            await reload(crew, {"other": {}, "bot": {}})
            crew.prober.says["bot"] = "ok"
            await crew.wait(100)
            assert crew.card().incident is None
            assert crew.card().history.life is not UNSEEN
            assert [row for row in crew.ledger.all(Segment) if row.service == "bot"][-1].state == "ok"

    play(film())


def test_a_run_of_a_removed_service_that_ends_late_harms_nobody() -> None:
    """Its safe point comes after the patience of the reload: the service is gone by then."""

    async def film() -> None:
        crew = Crew({"bot": {}, "other": {}})
        bot = crew.runtimes["bot"]
        bot.takes, bot.hangs = {"stop": 55.0}, {"start"}
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.until(crew.touched)
            await asyncio.wait_for(reload(crew, {"other": {}}), 100)
            assert "bot" not in crew.app.fleet.cards
            await crew.wait(300)
            crew.prober.says["other"] = HANG
            await crew.wait(200)
            assert crew.deeds("other")[:1] == ["stop i1"]
            assert crew.app.tasks.failures == {}

    play(film())


def test_a_look_at_a_service_that_is_removed_meanwhile_changes_nothing() -> None:
    async def film() -> None:
        crew = Crew({"bot": {}, **{f"other-{n}": {} for n in range(5)}})
        async with crew.at_work():
            await crew.wait(5)
            crew.runtimes["bot"].takes = {"look": 5.0}
            crew.runtimes["bot"].die(1)
            await crew.wait(2)
            await reload(crew, {f"other-{n}": {} for n in range(5)})
            await crew.wait(10)
            assert crew.app.fleet.bad == {}
            for n in range(5):
                crew.prober.says[f"other-{n}"] = HANG
            await crew.wait(90)
            assert crew.app.fleet.storm is not None

    play(film())


def test_what_was_spent_on_the_old_configuration_counts_no_more() -> None:
    async def film() -> None:
        crew = Crew(guards={"settle": "0s"})
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.until(lambda: crew.card().parking is not None, 3600)
            assert crew.incident().stage is Stage.PARKED
            await reload(crew, {"bot": {"title": "The Bot"}})
            assert crew.card().parking is not None, "a new title mends nothing"

            await reload(crew, {"bot": OTHER_PROBE})
            assert crew.card().parking is None
            assert crew.card().charges == ()
            crew.prober.says["bot"] = OK
            await crew.wait(120)
            assert crew.card().incident is None

    play(film())


def test_what_changed_beside_the_services_is_told_too() -> None:
    async def film() -> None:
        crew = Crew({"bot": {}})
        async with crew.at_work():
            await crew.wait(5)
            assert await reload(crew, {"bot": {}}, guards={"concurrent": 2}) == "changed guards"

    play(film())
