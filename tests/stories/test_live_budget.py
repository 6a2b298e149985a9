"""A bot that dies one second after each start: three starts by us, then it is parked and one message goes out (F32)."""

from __future__ import annotations

from collections.abc import Iterator
from time import sleep as pause

import pytest

from tests.stories.harness import Town, town

pytestmark = [pytest.mark.live, pytest.mark.timeout(150)]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """The daemon is killed after each of its starts, and twice more after it gave up."""
    with town(tmp_path_factory.mktemp("budget") / "town") as made:
        made.bot("doomed", "dies=1")
        made.bot("neighbour")
        made.start()
        for count in (2, 3):
            made.until(lambda: len(made.starts("doomed")) >= count, 40, f"start {count}")  # noqa: B023 - asked at once
            made.kill()
            made.start(ready=False)
        made.until(lambda: parked(made), 60, "it is parked")
        for _ in range(2):
            made.kill()
            made.start()
            made.until(lambda: told(made) > 0, 30, "a person was told")
            pause(3)
        yield made


def parked(town: Town) -> bool:
    return town.count("SELECT count(*) FROM incidents WHERE service = 'doomed' AND stage = 'parked'") > 0


def told(town: Town) -> int:
    return town.count("SELECT count(*) FROM notices WHERE tier = 'critical' AND kind = 'new'")


def test_it_is_started_three_times_in_an_hour_and_not_once_more(here: Town) -> None:
    assert len(here.starts("doomed")) == 3, here.report()
    assert here.breaches() == []


def test_it_stays_parked_whatever_becomes_of_the_daemon(here: Town) -> None:
    assert parked(here)
    (service,) = [each for each in here.ctl("status")["services"] if each["name"] == "doomed"]
    assert service["parked"]
    assert service["state"] == "down"


def test_exactly_one_critical_message_goes_out(here: Town) -> None:
    notices = here.rows("SELECT * FROM notices WHERE tier = 'critical' AND kind != 'edit'")
    assert [notice["service"] for notice in notices] == ["doomed"], [notice["text"] for notice in notices]
    assert notices[0]["delivered_at"] is not None


def test_why_says_that_the_budget_is_spent_and_what_comes_next(here: Town) -> None:
    last = here.ctl("why", "doomed")[-1]
    assert (last["step"], last["verdict"]) == ("budget", "escalate"), here.text("why", "doomed")
    assert "one attempt" in here.text("why", "doomed").partition("Next:")[2]


def test_a_person_who_asks_gives_it_a_new_attempt_and_no_new_message(here: Town) -> None:
    here.ctl("recover", "doomed")
    here.until(lambda: here.runs("doomed")[-1]["by"] != "watchdog" and here.runs("doomed")[-1]["ended_at"], 20, "it was tried")
    assert len(here.starts("doomed")) == 4
    assert len(here.starts("neighbour")) == 1
    assert told(here) == 1
    assert here.breaches() == []
