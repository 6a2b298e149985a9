"""Many at once: nothing of it is touched, and it ends, also over a restart of the daemon (SPEC 5, storm; F33)."""

from __future__ import annotations

from tests.builders import Crew
from tests.fakes.prober import HANG, OK
from tests.fakes.runtime import play
from watchdog.decisions.fleet import STORM
from watchdog.model.incident import Incident, Outcome, Stage, Tier

NAMES = tuple(f"bot-{n}" for n in range(8))


def fleet(**more: object) -> Crew:
    return Crew({name: {} for name in NAMES}, **more)


def turn(crew: Crew, word: str, names: tuple[str, ...] = NAMES) -> None:
    for name in names:
        crew.prober.says[name] = word


def all_deeds(crew: Crew) -> list[str]:
    return [deed for runtime in crew.runtimes.values() for deed in runtime.deeds]


def test_members_are_folded_into_the_one_incident_and_nobody_is_touched() -> None:
    async def film() -> None:
        crew = fleet()
        async with crew.at_work():
            turn(crew, HANG)
            await crew.wait(200)
            host = crew.app.fleet.host[STORM]
            assert host.tier is Tier.CRITICAL
            assert {crew.incident(name).parent for name in NAMES} == {host.id}
            assert {crew.incident(name).clock_at for name in NAMES} == {None}
            assert all_deeds(crew) == []
            assert len(crew.told(Tier.CRITICAL)) == len(crew.told()) == 1
            turn(crew, OK)
            await crew.wait(90)
            assert crew.app.fleet.storm is None
            assert all(crew.card(name).incident is None for name in NAMES)
            assert all_deeds(crew) == []

    play(film())


def test_a_storm_of_an_earlier_life_goes_on_until_it_is_over() -> None:
    async def film() -> None:
        crew = fleet()
        async with crew.at_work():
            turn(crew, HANG)
            await crew.wait(200)
            number = crew.app.fleet.host[STORM].id
        crew.next_life()
        async with crew.at_work():
            await crew.wait(600)
            assert crew.app.fleet.host[STORM].id == number
            assert all_deeds(crew) == []
            turn(crew, OK)
            await crew.wait(90)
            assert crew.app.fleet.host == {}
            assert len([text for text in crew.told(Tier.CRITICAL) if "Nothing is being restarted" in text]) == 1

    play(film())


def test_whom_an_unhealthy_dependency_explains_is_no_member() -> None:
    async def film() -> None:
        crew = Crew({"db": {}, **{name: {"depends_on": ["db"]} for name in NAMES}})
        async with crew.at_work():
            turn(crew, HANG, (*NAMES, "db"))
            await crew.wait(130)
            assert crew.app.fleet.storm is None
            assert {crew.incident(name).blocked_by for name in NAMES} == {"db"}
            assert [name for name, runtime in crew.runtimes.items() if runtime.deeds] == ["db"]

    play(film())


def test_a_run_that_has_touched_nothing_is_cancelled_when_a_storm_begins() -> None:
    async def film() -> None:
        crew = fleet()
        crew.runtimes["bot-0"].takes = {"log_tail": 15.0}
        async with crew.at_work():
            await crew.wait(5)
            crew.runtimes["bot-0"].die(1)
            await crew.until(lambda: crew.card("bot-0").active is not None)
            for name in NAMES[1:]:
                crew.runtimes[name].die(1)
            await crew.wait(60)
            assert crew.app.fleet.storm is not None
            assert crew.card("bot-0").active is None
            assert crew.card("bot-0").runs[-1].refunded
            assert all_deeds(crew) == []

    play(film())


def test_a_person_may_declare_it_over_and_the_rest_is_healed_without_a_new_storm() -> None:
    async def film() -> None:
        crew = fleet()
        async with crew.at_work():
            turn(crew, HANG)
            await crew.wait(150)
            assert (await crew.ask("resume", service=None))["text"].startswith("the storm is declared over")
            assert crew.app.fleet.storm is None
            await crew.wait(200)
            assert crew.app.fleet.storm is None
            assert {deed.split()[0] for deed in all_deeds(crew)} == {"stop", "start"}

    play(film())


def test_held_and_stopped_services_do_not_make_a_storm() -> None:
    async def film() -> None:
        crew = fleet()
        async with crew.at_work():
            for name in NAMES[:5]:
                await crew.ask("hold", service=name, for_=3600.0)
            turn(crew, HANG)
            await crew.wait(150)
            assert crew.app.fleet.storm is None

    play(film())


def test_a_storm_that_is_acknowledged_makes_no_more_sound_and_closes() -> None:
    async def film() -> None:
        crew = fleet()
        async with crew.at_work():
            turn(crew, HANG)
            await crew.wait(60)
            number = crew.app.fleet.host[STORM].id
            assert (await crew.ask("ack", id=number))["text"] == f"incident {number} acknowledged by anna"
            assert crew.app.fleet.host[STORM].acked
            turn(crew, OK)
            await crew.wait(90)
            closed = [row for row in crew.ledger.all(Incident) if row.id == number][-1]
            assert (closed.stage, closed.outcome) == (Stage.CLOSED, Outcome.SELF_RECOVERED)

    play(film())
