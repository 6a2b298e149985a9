"""What was changed about a service is remembered, and its next page and `status` name it."""

from __future__ import annotations

from tests.builders import Crew
from tests.fakes.runtime import play
from watchdog.decisions.suspects import KEPT, changed, suspects
from watchdog.model.incident import Tier
from watchdog.model.observation import Kind, Observation, Report

HOUR = 3600.0


def tells(crew: Crew, version: str | None, name: str = "bot") -> None:
    """A good answer that names a version."""
    seen = Observation(crew.clock.now(), Kind.OK, "", 0.003, report=Report(version=version))
    crew.app.watch.observe(crew.card(name), seen)


def changes(crew: Crew, name: str = "bot") -> list[str]:
    return [change.what for change in crew.card(name).changes]


def test_another_version_on_health_is_a_change_and_the_first_one_is_none() -> None:
    async def film() -> None:
        crew = Crew()
        for version in (None, "1.4.1", "1.4.1", None, "1.4.1", "1.4.2"):
            tells(crew, version)
        assert changes(crew) == ["version 1.4.1 → 1.4.2"]
        await crew.ledger.commit()
        crew.next_life()
        assert changes(crew) == ["version 1.4.1 → 1.4.2"], "it survives the daemon"
        tells(crew, "1.4.2")
        assert len(changes(crew)) == 1
        crew.app.hours.clock_stepped(100.0, crew.clock.now())
        assert crew.card().changes[0].at == crew.clock.now() + 100.0

    play(film())


def test_the_end_of_a_hold_and_a_reload_are_changes() -> None:
    async def film() -> None:
        crew = Crew({"bot": {}, "other": {}})
        async with crew.at_work() as app:
            await crew.ask("hold", service="bot", for_=60, reason="deploy 1.4.2")
            await crew.wait(90)
            assert changes(crew) == ["the hold by anna ended (deploy 1.4.2)"]
            new = Crew({"bot": {"interval": "20s"}, "other": {}}).settings
            await app.reload(new, crew.books)
            assert changes(crew)[1:] == ["its configuration was changed by a reload"]
            assert changes(crew, "other") == []

    play(film())


def test_only_the_last_changes_are_remembered() -> None:
    async def film() -> None:
        crew = Crew()
        for number in range(9):
            changed(crew.card(), f"change {number}", crew.clock.now())
        assert changes(crew) == [f"change {number}" for number in range(9)][-KEPT:]

    play(film())


def test_the_page_and_the_status_of_one_name_the_likely_cause_with_its_grounds() -> None:
    async def film() -> None:
        crew = Crew()
        async with crew.at_work() as app:
            await crew.wait(HOUR)
            crew.observe(Kind.OK)
            tells(crew, "1.4.1")
            tells(crew, "1.4.2")
            await crew.wait(120)
            crew.prober.says["bot"] = "refuse"
            await crew.until(lambda: bool(crew.told(Tier.CRITICAL)), 2 * HOUR)
            (page,) = crew.told(Tier.CRITICAL)
            assert "Likely  version 1.4.1 → 1.4.2, " in page
            assert " before the first failure (no earlier failure is known)" in page
            (entry,) = app.status("bot")["services"]
            assert entry["likely"][0].startswith("version 1.4.1 → 1.4.2")
            assert "likely" not in app.status()["services"][0], "the whole fleet is asked too often for that"

    play(film())


def test_who_shares_a_dependency_or_an_api_is_found() -> None:
    async def film() -> None:
        needs = {"apis": ["ezee"]}
        crew = Crew({"bot": needs, "mailer": needs, "other": {}}, apis={"ezee": {}})
        for name in ("bot", "mailer"):
            crew.observe(Kind.NO_ANSWER, 4, name, detail="timeout")
        found = suspects(crew.app.fleet, crew.card(), crew.incident(), crew.clock.now())
        assert found == ("API ezee: all 2 services that need it went bad within 10 min",)

    play(film())
