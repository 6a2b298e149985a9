"""While a container is somebody's, nothing is done about it; what it made ill was meant (SPEC 5, step 2)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import Crew
from tests.fakes.prober import HANG
from tests.fakes.runtime import play
from watchdog.decisions.hand import THEIRS
from watchdog.errors import Refused
from watchdog.model.container import Act, ByHand, Deed
from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.records import Segment
from watchdog.model.service import State

BOXED: dict[str, Any] = {"runtime": {"docker": "bot"}}


def last_row(crew: Crew, name: str = "bot") -> Segment:
    return [row for row in crew.ledger.all(Segment) if row.service == name][-1]


def test_the_incident_that_the_stop_had_opened_ends_as_meant() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED})
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().stop()
            await crew.wait(0.5)
            assert crew.incident().stage is Stage.OPEN
            await crew.wait(5)
            assert crew.card().incident is None
            assert [(row.outcome, row.reason) for row in crew.ledger.all(Incident) if not row.open] == [
                (Outcome.IGNORED, "stopped by hand (docker stop)")
            ]
            await crew.wait(3600)
            assert (crew.card().incident, crew.told(Tier.CRITICAL)) == (None, [])
            await crew.person().start()
            await crew.wait(70)
            assert (crew.card().incident, crew.card().history.state) == (None, State.OK)

    play(film())


def test_planned_time_begins_with_the_deed_and_ends_with_the_start() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED})
        async with crew.at_work():
            await crew.wait(65)
            began = crew.clock.now()
            await crew.person().stop()
            await crew.wait(600)
            row = last_row(crew)
            assert (row.state, row.reason) == (State.STOPPED, "stopped by hand (docker stop)")
            assert row.since - began < 0.1
            await crew.person().start()
            await crew.wait(70)
            states = [row.state for row in crew.ledger.all(Segment) if row.service == "bot" and row.until is None]
            assert states[-4:] == [State.DOWN, State.STOPPED, State.STARTING, State.OK]

    play(film())


def test_a_paused_one_that_is_silent_stays_stopped_and_is_ours_in_the_moment_of_its_unpause() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED})
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().pause()
            crew.prober.says["bot"] = HANG
            await crew.wait(600)
            assert crew.card().history.state is State.STOPPED
            assert crew.card().incident is None
            await crew.person().unpause()
            assert crew.card().by_hand is not None
            await crew.wait(0.1)
            assert (crew.card().by_hand, crew.card().history.state) == (None, State.STARTING)
            assert crew.card().history.streaks.failing == 0, "fresh counts"
            await crew.wait(29)
            assert crew.card().incident is None, "startup grace"
            await crew.wait(180)
            assert crew.deeds() == ["stop i1", "start"], "still silent: it hangs"

    play(film())


def test_an_end_that_was_meant_is_no_crash() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED})
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().stop()
            await crew.wait(5)
            assert [end.ours for end in crew.card().history.life.exits] == [True]

    play(film())


def test_an_earlier_crash_is_one_all_the_same() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED}, mode="observe")
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().dies(1)
            await crew.wait(THEIRS + 1)
            await crew.person().remove()
            await crew.wait(5)
            assert crew.card().by_hand is not None
            assert [end.ours for end in crew.card().history.life.exits] == [False]

    play(film())


def test_who_depends_on_what_was_stopped_is_blocked_by_it_and_nobody_is_paged() -> None:
    async def film() -> None:
        crew = Crew({"db": {"runtime": {"docker": "db"}}, "bot": {"depends_on": ["db"]}})
        async with crew.at_work():
            await crew.wait(65)
            await crew.person("db").stop()
            crew.prober.says["bot"] = HANG
            await crew.wait(1800)
            assert crew.incident("bot").stage is Stage.BLOCKED
            assert crew.incident("bot").cause == "db was stopped by hand (docker stop)"
            assert crew.deeds("bot") == []
            assert crew.told(Tier.CRITICAL) == []

    play(film())


def test_a_start_that_nobody_has_looked_at_yet_is_not_started_once_more() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED})
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().stop()
            await crew.wait(600)
            crew.runtimes["bot"].takes = {"look": 1.5}
            await crew.person().start()
            await crew.wait(120)
            assert (crew.deeds(), crew.card().runs) == ([], ())

    play(film())


def test_a_person_at_our_own_desk_may_start_it_again() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED})
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().stop()
            await crew.wait(60)
            await crew.ask("start", service="bot")
            await crew.until(lambda: crew.deeds() == ["start"])
            crew.dock().says(Act.START)
            await crew.wait(5)
            assert crew.deeds() == ["start"]
            await crew.wait(120)
            assert crew.card().by_hand is None
            assert crew.card().history.state is State.OK

    play(film())


def test_what_is_paused_is_not_said_to_run() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED})
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().pause()
            await crew.wait(5)
            with pytest.raises(Refused, match="bot is paused: `docker unpause bot`"):
                await crew.ask("start", service="bot")

    play(film())


@pytest.mark.parametrize("deed", [Deed.RESTARTED, Deed.RECREATED])
def test_what_is_over_leaves_nothing_with_them(deed: Deed) -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED})
        async with crew.at_work():
            await crew.wait(65)
            crew.app.hand.takes(crew.card(), ByHand(deed, crew.clock.now(), "x"), crew.clock.now())
            assert crew.card().by_hand is None
            assert crew.card().history.state is State.OK

    play(film())


def test_a_clock_that_is_set_moves_the_deed_with_it() -> None:
    async def film() -> None:
        crew = Crew({"bot": BOXED})
        async with crew.at_work():
            await crew.wait(65)
            await crew.person().remove()
            await crew.wait(60)
            crew.clock.step = 10_800.0
            await crew.wait(60)
            hand = crew.card().by_hand
            assert hand is not None
            assert 0 < crew.clock.now() - hand.at < 180
            await crew.wait(470)
            assert [text for text in crew.told(Tier.SOFT) if "gone" in text] == []
            await crew.wait(60)
            assert len([text for text in crew.told(Tier.SOFT) if "gone" in text]) == 1

    play(film())
