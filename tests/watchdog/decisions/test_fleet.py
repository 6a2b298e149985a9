"""Cards and the leash: data with a few questions."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from recovery.model import Effect, Run
from recovery.ports import Stop
from tests.builders import BOOKS, Crew
from tests.fakes.runtime import play
from watchdog.decisions.fleet import LATER, QUIET, SOON, Active
from watchdog.decisions.leash import Leash
from watchdog.model.incident import Stage
from watchdog.model.records import Hold
from watchdog.state import incidents

RUN = Run(1, "bot", "start-exited", 1, 100.0, Effect.RESTART)


def test_the_first_order_stands_and_whoever_waits_is_woken() -> None:
    async def film() -> None:
        leash = Leash()
        waiting = asyncio.create_task(leash.wait())
        await asyncio.sleep(0)
        assert not waiting.done()
        leash.call(Stop.HOLD, "on hold by anna")
        leash.call(Stop.CANCEL, "a storm has begun")
        await waiting
        assert (leash.order, leash.why) == (Stop.HOLD, "on hold by anna")

    play(film())


def test_runs_before_an_amnesty_are_not_charged() -> None:
    async def film() -> None:
        card = Crew().card()
        card.runs = (RUN, replace(RUN, id=2, started_at=200.0))
        assert [run.id for run in card.charges] == [1, 2]
        card.amnesty = 150.0
        assert [run.id for run in card.charges] == [2]

    play(film())


def test_a_run_at_work_counts_until_it_proves() -> None:
    async def film() -> None:
        fleet = Crew({"a": {}, "b": {}}).app.fleet
        a, b = fleet.cards.values()
        fleet.put_to_work(a, Active(RUN, BOOKS["start-exited"], Leash()))
        fleet.put_to_work(b, Active(replace(RUN, proving_at=5.0), BOOKS["start-exited"], Leash()))
        assert fleet.working == 1
        fleet.put_to_work(a, None)
        assert (fleet.working, a.active, list(fleet.at_work)) == (0, None, ["b"])

    play(film())


def test_the_more_goes_on_the_sooner_everything_is_looked_at_again() -> None:
    async def film() -> None:
        crew = Crew()
        fleet, card = crew.app.fleet, crew.card()
        assert fleet.haste == QUIET
        fleet.rouse(card)
        card.hold = Hold("bot", 0, 1, "anna")
        assert fleet.haste == LATER
        card.incident = replace(incidents.opened(1, "bot", 1.0, "timeout"), stage=Stage.PERSON)
        assert fleet.haste == SOON, "nobody was told yet"
        card.told = card.incident
        assert fleet.haste == LATER
        card.incident = replace(card.incident, stage=Stage.WAITING)
        assert fleet.haste == SOON
        card.incident, card.hold = None, None
        fleet.store_trouble = "disk full"
        assert fleet.haste == SOON

    play(film())


def test_dependencies_are_named_nearest_first() -> None:
    async def film() -> None:
        crew = Crew({"db": {}, "web": {"depends_on": ["db"]}, "bot": {"depends_on": ["web"]}})
        assert [card.name for card in crew.app.fleet.upstream("bot")] == ["web", "db"]
        assert crew.app.fleet.upstream("db") == ()

    play(film())
