"""An engine that does not answer is one incident of the service `docker` (SPEC 4, 5)."""

from __future__ import annotations

from typing import Any

from tests.builders import Crew
from tests.fakes.prober import HANG, OK
from tests.fakes.runtime import play
from watchdog.decisions.engines import PULSE
from watchdog.model.decision import Decision
from watchdog.model.incident import Incident, Outcome, Stage, Tier

OTHER = "/run/other/docker.sock"
BOXED: dict[str, Any] = {"runtime": {"docker": "bot"}}
FAR: dict[str, Any] = {"runtime": {"docker": {"name": "far", "host": OTHER}}}


def of_docker(crew: Crew) -> list[Incident]:
    newest = {row.id: row for row in crew.ledger.all(Incident) if row.service == "docker"}
    return list(newest.values())


def test_its_containers_wait_and_plain_processes_go_on_being_healed() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED, "plain": {}})
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().fall()
            crew.prober.says["bot"] = crew.prober.says["plain"] = HANG
            await crew.wait(200)
            assert crew.deeds("plain") == ["stop i1", "start"]
            assert crew.deeds("bot") == []
            assert (crew.incident().stage, crew.incident().reason) == (Stage.WAITING, "Docker does not answer")
            assert crew.incident().parent == of_docker(crew)[0].id
            assert crew.incident().clock_at is None

    play(film())


def test_it_is_told_soft_then_loud_then_over_in_its_own_name() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED})
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().fall()
            await crew.wait(200)
            (soft,) = crew.told(Tier.SOFT)
            assert soft == (
                "🟡 Docker does not answer for 3 min: timed out; its containers are watched, nothing is done to them · incident 1"
            )
            await crew.wait(720)
            (loud, *_) = crew.told(Tier.CRITICAL)
            assert loud.splitlines()[0] == "🔴 Docker does not answer for 15 min"
            assert "systemctl status docker" in loud
            crew.dock().up = True
            await crew.wait(5)
            assert crew.told(Tier.CRITICAL)[-1] == "✅ Docker: it answers again after 15 min. Incident 1."

    play(film())


def test_a_short_absence_is_told_to_nobody_and_has_its_row() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED}, guards={"settle": "20s"})
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().fall()
            await crew.wait(5)
            crew.dock().up = True
            await crew.wait(2)
            (incident,) = of_docker(crew)
            assert (incident.stage, incident.outcome) == (Stage.CLOSED, Outcome.SELF_RECOVERED)
            assert crew.mail.got == []
            assert crew.app.fleet.settle_until > crew.clock.now() + 10
            assert [row.last.reason for row in crew.ledger.all(Decision) if row.service == "docker"] == [
                "Docker does not answer: timed out; its containers are watched, nothing is done to them"
            ]

    play(film())


def test_two_engines_that_are_away_are_one_incident_until_both_answer() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED, "far": FAR})
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().fall()
            await crew.wait(2)
            crew.dock(OTHER).fall()
            await crew.wait(2)
            assert len(of_docker(crew)) == 1
            crew.dock().up = True
            await crew.wait(3)
            assert list(crew.app.fleet.engines_down) == [OTHER]
            assert of_docker(crew)[0].open
            crew.dock(OTHER).up = True
            await crew.wait(3)
            assert not of_docker(crew)[0].open

    play(film())


def test_what_hung_meanwhile_is_confirmed_and_healed_after_settling() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED})
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().fall()
            crew.prober.says["bot"] = HANG
            await crew.wait(300)
            assert crew.deeds() == []
            crew.dock().up = True
            await crew.until(lambda: "start" in crew.deeds(), 200)
            crew.prober.says["bot"] = OK
            await crew.wait(120)
            assert crew.last().outcome is Outcome.HEALED

    play(film())


def test_a_run_at_work_is_cancelled_when_the_engine_goes() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED})
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.until(lambda: crew.card().active is not None)
            crew.dock().fall()
            await crew.wait(60)
            assert crew.card().active is None

    play(film())


def test_the_pulse_is_as_quick_as_the_quickest_container_and_never_slower_than_ten_seconds() -> None:
    async def film() -> None:
        for interval, pulse in (("60s", PULSE), ("2s", 2.0)):
            crew = Crew(
                {"bot": {**BOXED, "interval": interval, "timeout": "1s"}, "plain": {"interval": "0.5s", "timeout": "200ms"}}
            )
            assert crew.app.engines.pulse == pulse

    play(film())


def test_an_engine_that_is_away_at_our_start_is_the_same_incident_and_no_bring_up_is_lost() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED})
        crew.dock().up = False
        async with crew.at_work():
            await crew.wait(30)
            assert len(of_docker(crew)) == 1
        crew.next_life()
        async with crew.at_work():
            await crew.wait(30)
            assert [incident.open for incident in of_docker(crew)] == [True]
            crew.dock().up = True
            await crew.wait(5)
            assert [incident.open for incident in of_docker(crew)] == [False]

    play(film())
