"""`status` as SPEC 14 says it, from the cards."""

from __future__ import annotations

from typing import Any

from tests.builders import PID, Crew, says
from tests.fakes.prober import HANG
from tests.fakes.runtime import play
from watchdog.decisions.status import iso
from watchdog.model.observation import Kind


def of(crew: Crew, name: str = "bot") -> dict[str, Any]:
    """One service in `status`."""
    (found,) = crew.app.status(name)["services"]
    return dict(found)


def test_a_quiet_fleet() -> None:
    async def film() -> None:
        crew = Crew({"bot": {"title": "The Bot"}})
        async with crew.at_work():
            await crew.wait(40)
            daemon = crew.app.status()["daemon"]
            assert daemon == {
                "pid": PID,
                "mode": "heal",
                "started_at": "2026-03-01T18:40:00.000Z",
                "config": {"loaded_at": "2026-03-01T18:40:00.000Z", "errors": []},
                "playbooks": [],
                "live": True,
                "last_page_at": None,
                "storm": [],
                "store": "",
                "alerts": {"waiting": 0, "critical": 0, "late_s": 0.0, "closed": []},
                "docker": [],
            }
            found = of(crew)
            assert {key: found[key] for key in ("name", "state", "latency_ms", "hold", "parked", "incident", "title", "now")} == {
                "name": "bot",
                "state": "ok",
                "latency_ms": 3.0,
                "hold": None,
                "parked": False,
                "incident": None,
                "title": "The Bot",
                "now": "",
            }

    play(film())


def test_what_is_being_done_is_told_with_the_step_and_then_the_proof() -> None:
    async def film() -> None:
        crew = Crew()
        crew.runtimes["bot"].takes = {"stop": 8.0}
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.until(crew.touched)
            assert of(crew)["now"] == "restart-unresponsive, step 3 of 4"
            assert (of(crew)["state"], of(crew)["stage"], of(crew)["incident"]) == ("failing", "healing", 1)
            await crew.until(lambda: crew.active().run.proving_at is not None)
            assert of(crew)["now"] == "restart-unresponsive, waiting for proof"

    play(film())


def test_blocked_held_stopped_and_unknown_each_say_so() -> None:
    async def film() -> None:
        crew = Crew({"db": {}, "bot": {"depends_on": ["db"]}, "odd": {}, "held": {}})
        crew.prober.says["odd"] = says(Kind.MISCONFIGURED, "redirect to /login")
        async with crew.at_work():
            await crew.ask("stop", service="held", for_=600.0, reason="moving")
            crew.prober.says["db"] = crew.prober.says["bot"] = HANG
            await crew.wait(124)
            assert of(crew)["blocked_by"] == "db"
            assert (of(crew, "odd")["state"], of(crew, "odd")["reason"]) == ("unknown", "misconfigured: redirect to /login")
            held = of(crew, "held")
            assert (held["state"], held["hold"]["stop"], held["hold"]["by"]) == ("stopped", True, "anna")

    play(film())


def test_what_a_person_took_away_is_stopped_since_then_in_their_words() -> None:
    async def film() -> None:
        crew = Crew({name: {"runtime": {"docker": name}} for name in ("bot", "frozen", "gone")})
        async with crew.at_work():
            await crew.wait(65)
            await crew.person("bot").stop()
            await crew.person("frozen").pause()
            await crew.person("gone").remove()
            crew.prober.says["frozen"] = HANG
            for seconds in (2, 1800):
                await crew.wait(seconds)
                told = {name: (of(crew, name)["state"], of(crew, name)["reason"]) for name in ("bot", "frozen", "gone")}
                assert told == {
                    "bot": ("stopped", "stopped by hand (docker stop)"),
                    "frozen": ("stopped", "paused by hand (docker pause)"),
                    "gone": ("stopped", "removed by hand (docker rm)"),
                }
                assert {of(crew, name)["since"][:19] for name in told} == {"2026-03-01T18:41:05"}

    play(film())


def test_an_engine_that_does_not_answer_is_told_with_its_beginning() -> None:
    async def film() -> None:
        crew = Crew({"bot": {"runtime": {"docker": "bot"}}})
        async with crew.at_work():
            await crew.wait(65)
            crew.dock().fall()
            await crew.wait(5)
            assert crew.app.status()["daemon"]["docker"] == [
                {"host": "/var/run/docker.sock", "since": "2026-03-01T18:41:05.000Z"}
            ]

    play(film())


def test_the_last_page_is_remembered_over_a_restart() -> None:
    async def film() -> None:
        crew = Crew({"bot": {"runtime": None}})
        async with crew.at_work():
            crew.prober.says["bot"] = HANG
            await crew.wait(150)
            page = crew.app.status()["daemon"]["last_page_at"]
            assert page is not None
        crew.next_life()
        assert crew.app.status()["daemon"]["last_page_at"] == page

    play(film())


def test_moments_are_iso_in_utc_to_the_millisecond_or_null() -> None:
    assert iso(1_772_390_400.1234) == "2026-03-01T18:40:00.123Z"
    assert iso(None) is None
    assert iso(0.0) is None
