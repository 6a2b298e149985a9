"""Our own network: what leaves the host is not believed while it is down, what stays on it is (SPEC 5, step 1)."""

from __future__ import annotations

from tests.builders import Crew
from tests.fakes.prober import HANG, OK
from tests.fakes.runtime import play
from watchdog.decisions.fleet import NETWORK
from watchdog.model.incident import Incident, Outcome, Tier

FAR = {"probe": {"http": "http://far.example/health"}, "runtime": None}


def test_a_far_service_is_unknown_and_a_near_one_is_healed() -> None:
    async def film() -> None:
        crew = Crew({"far": FAR, "near": {}})
        async with crew.at_work():
            await crew.wait(5)
            crew.wire.there = False
            crew.prober.says["far"] = crew.prober.says["near"] = HANG
            await crew.wait(200)
            assert crew.app.fleet.host[NETWORK].symptom == "network"
            assert crew.card("far").incident is None
            assert crew.card("far").history.reason == "could not ask: our own network is down"
            assert crew.deeds("near")[:2] == ["stop i1", "start"]
            crew.wire.there, crew.prober.says["far"] = True, OK
            await crew.wait(40)
            assert crew.app.fleet.host == {}
            assert crew.app.fleet.network_down is None

    play(film())


def test_it_is_closed_when_the_network_came_back_while_the_daemon_was_away() -> None:
    async def film() -> None:
        crew = Crew({"far": FAR})
        async with crew.at_work():
            crew.wire.there, crew.prober.says["far"] = False, HANG
            await crew.wait(100)
            number = crew.app.fleet.host[NETWORK].id
        crew.next_life()
        crew.wire.there, crew.prober.says["far"] = True, OK
        async with crew.at_work():
            await crew.wait(2000)
            assert crew.app.fleet.host == {}
        closed = [row for row in crew.ledger.all(Incident) if row.id == number][-1]
        assert closed.outcome is Outcome.SELF_RECOVERED
        assert crew.told(Tier.CRITICAL) == []

    play(film())


def test_it_is_one_incident_however_many_do_not_answer() -> None:
    async def film() -> None:
        crew = Crew({f"far-{n}": FAR for n in range(30)})
        async with crew.at_work():
            await crew.wait(5)
            crew.wire.there = False
            for n in range(30):
                crew.prober.says[f"far-{n}"] = HANG
            await crew.wait(300)
            assert {row.id for row in crew.ledger.all(Incident)} == {1}

    play(film())
