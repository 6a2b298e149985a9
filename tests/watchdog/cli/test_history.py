from __future__ import annotations

from tests.fakes import past
from tests.fakes.installation import Installation
from watchdog.clock import Clock
from watchdog.model.records import Hold, Segment
from watchdog.model.service import State


def test_stretches_are_listed_newest_first(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    result = here.ctl("history", "ezee-scraper")
    assert result.exit_code == 0
    assert result.stdout.index("timeout after 29.9 s") < result.stdout.index("timeout ×4")
    doc = here.document("history", "ezee-scraper")
    assert [entry["state"] for entry in doc] == ["failing", "ok", "failing", "ok"]
    assert set(doc[0]) == {"state", "since", "until", "duration_s", "reason"}
    assert doc[0]["until"] is None
    assert doc[2]["duration_s"] == 144


def test_since_cuts_the_past(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    assert len(here.document("history", "ezee-scraper", "--since", "1h")) == 2


def test_a_stop_by_a_person_is_no_downtime(here: Installation) -> None:
    now = Clock().now()
    down = Segment("postgres", State.DOWN, now - 99, now - 50, "stopped")
    stop = Hold("postgres", now - 100, now + 100, "anna", stop=True, ended_at=now - 50)
    here.write([down, stop, Segment("postgres", State.DOWN, now - 20, None, "exited with code 1")])
    assert [entry["state"] for entry in here.document("history", "postgres")] == ["down", "stopped"]
