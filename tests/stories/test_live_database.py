"""A database falls under three levels of dependents: it alone is healed. Three towns at once, in which it falls in three ways."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from time import sleep as pause

import pytest

from tests.fakes.bots import alive
from tests.stories.harness import Town, town

pytestmark = [pytest.mark.live, pytest.mark.timeout(150)]

LEVELS = ("backend", "worker", "report")
DEPENDENTS = (*LEVELS, "second")


@dataclass
class Fall:
    """fell_at: wall seconds. pids: of the dependents before."""

    town: Town
    fell_at: float
    pids: dict[str, int]


def settle_in(here: Town, reconnects: int, **database: str) -> None:
    """db <- backend <- worker <- report, and db <- second."""
    here.bot("db", "boots=3", **database)
    here.bot("backend", f"reconnects={reconnects}", needs="db")
    here.bot("worker", needs="backend")
    here.bot("report", needs="worker")
    here.bot("second", f"reconnects={reconnects}", needs="db")


@pytest.fixture(scope="module")
def falls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Fall]]:
    folder = tmp_path_factory.mktemp("database")
    with ExitStack() as stack:
        killed, slow, hung = (stack.enter_context(town(folder / name)) for name in ("killed", "slow", "hung"))
        settle_in(killed, 0, probe="tcp")
        settle_in(slow, 6, probe="tcp", interval="30s")
        slow.guards["reconnect"] = "9s"
        settle_in(hung, 2, interval="30s", retry="1s")
        towns = {"killed": killed, "slow": slow, "hung": hung}
        for here in towns.values():
            here.start(ready=False)
        for here in towns.values():
            here.until(here.ok, 40, "everybody is well")
        pause(11)  # their first time to reconnect is over
        found = {}
        for name, here in towns.items():
            found[name] = Fall(here, here.born, {each: here.pid(each) for each in DEPENDENTS})
            if name == "hung":
                here.mood("db", "hang")
            else:
                os.kill(here.pid("db"), signal.SIGKILL)
        for here in towns.values():
            here.until(lambda: here.healed("db"), 40, "the database is healed")  # noqa: B023 - asked at once
        for here in towns.values():
            here.until(lambda: here.ok() and not open_incidents(here), 40, "everybody is well")  # noqa: B023 - asked at once
        yield found


def open_incidents(here: Town) -> int:
    return here.count("SELECT count(*) FROM incidents WHERE closed_at IS NULL")


@pytest.fixture(params=["killed", "slow", "hung"])
def fall(request: pytest.FixtureRequest, falls: dict[str, Fall]) -> Fall:
    return falls[request.param]


def test_the_database_alone_is_restarted_and_none_of_its_dependents(fall: Fall) -> None:
    here = fall.town
    assert len(here.starts("db")) == 2
    for name in DEPENDENTS:
        assert [start.pid for start in here.starts(name)] == [fall.pids[name]]
        assert alive(fall.pids[name])
        assert here.runs(name) == []


def test_one_incident_is_listed_with_the_others_as_its_blocked_members(fall: Fall) -> None:
    (incident,) = fall.town.ctl("incidents")
    assert (incident["service"], incident["outcome"]) == ("db", "healed")
    assert sorted(incident["blocked"]) == sorted(DEPENDENTS)


def test_the_dependents_said_that_they_were_critical_and_were_told_to_be_blocked(fall: Fall) -> None:
    for name in DEPENDENTS:
        words = [row["text"] for row in fall.town.rows("SELECT text FROM timeline WHERE service = ?", name)]
        assert any("critical" in each for each in words), name
        assert any(each.startswith("blocked by") for each in words), name


def test_why_of_a_dependent_names_the_root(fall: Fall) -> None:
    answers = fall.town.ctl("why", "report")
    root = [each for each in answers if each["step"] == "root" and each["verdict"] == "wait"]
    assert root
    assert all("blocked by" in each["reason"] for each in root)
    assert "root" in fall.town.text("why", "report")


def test_nobody_was_paged_and_the_outside_checker_finds_nothing(fall: Fall) -> None:
    assert fall.town.count("SELECT count(*) FROM notices WHERE tier = 'critical'") == 0
    assert fall.town.breaches() == []


def test_it_was_no_storm(fall: Fall) -> None:
    assert fall.town.count("SELECT count(*) FROM incidents WHERE service = 'host'") == 0
