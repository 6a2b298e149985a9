"""What `decide` is given to look at, from the cards."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import Crew
from tests.fakes.runtime import EPOCH, play
from watchdog.decisions.fleet import Fresh
from watchdog.decisions.gather import FRESH, gather
from watchdog.decisions.situation import Dependency, Situation
from watchdog.decisions.storm import Storm
from watchdog.model.incident import Stage
from watchdog.model.observation import Kind, Observation, Part
from watchdog.model.symptom import Symptom
from watchdog.state import incidents
from watchdog.state.history import begin, started

NOW = EPOCH
SYMPTOM = Symptom("unresponsive", NOW - 90, "4 timeouts")


def of(crew: Crew, name: str = "bot", symptom: Symptom = SYMPTOM, now: float = NOW) -> Situation:
    return gather(crew.app.fleet, crew.card(name), symptom, now)


def test_host_and_world_concern_only_those_whom_they_concern() -> None:
    async def film() -> None:
        crew = Crew({"bot": {}, "far": {"probe": {"tcp": "10.0.0.7:1"}}})
        fleet = crew.app.fleet
        assert (of(crew).world.store, of(crew).world.network, of(crew).world.storm) == ("", "", "")
        fleet.store_trouble, fleet.network_down = "disk full", NOW
        fleet.storm = Storm(frozenset({"far", "other"}), NOW, NOW)
        assert of(crew).world.store == "the store cannot be written (disk full); acting stops"
        assert (of(crew).world.network, of(crew).world.storm) == ("", "")
        assert of(crew, "far").world.network == "our own network is down"
        assert of(crew, "far").world.storm == "2 services went bad at once; nothing of it is acted on"

    play(film())


@pytest.mark.parametrize(
    ("asked_ago", "answered_ago", "known"),
    [
        (2.0, 1.0, True),
        (2.0, None, None),
        (FRESH + 2.0, FRESH + 1.0, None),
        (40.0, 1.0, None),
    ],
)
def test_an_answer_counts_only_when_it_was_asked_for_after_the_trouble_was_confirmed_and_is_fresh(
    asked_ago: float, answered_ago: float | None, known: bool | None
) -> None:
    async def film() -> None:
        crew = Crew({"db": {}, "bot": {"depends_on": ["db"]}})
        crew.observe(Kind.OK, name="db")
        opened = incidents.opened(1, "bot", NOW - 100, "timeout")
        crew.card().incident = replace(opened, stage=Stage.CONFIRMED, confirmed_at=NOW - 30)
        crew.card("db").fresh = Fresh(NOW - asked_ago, NOW - answered_ago if answered_ago is not None else None)
        (db,) = of(crew).dependencies
        assert db.well is known
        if known is None:
            assert db.why == "is being asked"

    play(film())


def test_one_that_is_known_to_be_unwell_needs_no_fresh_answer() -> None:
    async def film() -> None:
        crew = Crew({"db": {}, "web": {"depends_on": ["db"]}, "bot": {"depends_on": ["web"]}})
        crew.observe(Kind.NO_ANSWER, name="db", detail="refused")
        assert of(crew).dependencies == (
            Dependency("web", None, "is being asked", None, 1),
            Dependency("db", False, "does not answer (refused)", 1, 0),
        )

    play(film())


def test_the_parts_that_it_blames_are_named() -> None:
    async def film() -> None:
        crew = Crew({"db": {}, "bot": {"depends_on": ["db"]}})
        parts = (Part("database", Kind.CRITICAL, declared="db"), Part("disk", Kind.OK))
        crew.app.watch.observe(crew.card(), Observation(NOW, Kind.CRITICAL, parts=parts, excused=True))
        assert of(crew).named == "db"

    play(film())


def test_grace_is_there_until_it_ends_and_settling_for_all() -> None:
    async def film() -> None:
        crew = Crew(guards={"settle": "30s"})
        card = crew.card()
        card.history = started(begin("bot", NOW), NOW, "i1", 20.0)
        assert of(crew).grace is not None
        assert of(crew, now=NOW + 19.9).grace is not None
        assert of(crew, now=NOW + 20.0).grace is None
        settle = of(crew).settle
        assert settle is not None
        assert (settle.reason, settle.until) == ("settling after the start of the daemon", NOW + 30)
        assert of(crew, now=NOW + 30).settle is None

    play(film())


def test_a_soft_recovery_waits_for_every_urgent_one_and_for_another_soft_one() -> None:
    async def film() -> None:
        soft = Symptom("degraded", NOW, "degraded")
        crew = Crew({"bot": {}, "other": {}})
        assert of(crew, symptom=soft).soft_busy == ""
        other = incidents.confirmed(incidents.opened(1, "other", NOW, "x"), SYMPTOM, NOW)
        crew.card("other").incident = other
        crew.app.fleet.rouse(crew.card("other"))
        assert of(crew, symptom=soft).soft_busy == "other"
        assert of(crew).soft_busy == ""
        crew.card("other").incident = replace(other, symptom="degraded")
        assert of(crew, symptom=soft).soft_busy == ""
        crew.card("other").incident = replace(other, stage=Stage.PARKED)
        assert of(crew, symptom=soft).soft_busy == ""

    play(film())


def test_maintenance_is_known_in_the_zone_of_the_configuration() -> None:
    async def film() -> None:
        crew = Crew({"bot": {"maintenance": ["30 23 * * * for 1h"]}}, timezone="Asia/Tashkent")
        assert of(crew).maintenance_until == NOW + 50 * 60  # 23:40 there, 18:40 UTC
        assert of(crew, now=NOW + 50 * 60).maintenance_until is None

    play(film())
