from __future__ import annotations

from tests.fakes import past
from tests.fakes.daemon import answering
from tests.fakes.desk import FakeDesk
from tests.fakes.installation import Installation
from watchdog.clock import Clock
from watchdog.model.records import Segment
from watchdog.model.service import State


def test_the_digest_is_made_from_the_store(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    result = here.ctl("digest")
    assert result.exit_code == 0
    assert result.stdout.startswith("☀ ")
    assert "1 of 3 ok now" in result.stdout
    doc = here.document("digest")
    assert [line["service"] for line in doc["healed"]] == ["ezee-scraper"]


def test_a_day_can_be_named(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    assert here.document("digest", "--date", "2020-02-29")["until"] == "2020-02-29T03:30:00Z"
    result = here.ctl("digest", "--date", "yesterday")
    assert result.exit_code == 2
    assert "'yesterday' is no date" in result.stderr
    assert here.ctl("digest", "--date", "0001-01-01").exit_code == 2


def test_what_is_slow_now_comes_from_the_daemon_and_only_for_now(here: Installation) -> None:
    here.write(past.story(Clock().now()))
    services = [{"name": "postgres", "now": "slow: answers take 2 s, usually 100 ms, for 6 min"}]
    with answering(here.socket, FakeDesk({"status": {"services": services}})):
        assert "(answers take 2 s, usually 100 ms, for 6 min)" in here.ctl("digest").stdout
        assert "answers take" not in here.ctl("digest", "--date", "2020-02-29").stdout
    assert "answers take" not in here.ctl("digest").stdout


def test_a_maintenance_window_is_planned_time(here: Installation) -> None:
    now = Clock().now()
    here.config.write_text(
        here.config.read_text().replace("  postgres:", "  postgres:\n    maintenance: ['* * * * * for 1m']", 1)
    )
    here.write([Segment("postgres", State.DOWN, now - 7200, None, "gone")])
    doc = here.document("digest")
    assert doc["uptime"] == 0.0
    assert doc["uptime_unplanned"] is None


def test_containers_found_by_their_labels_are_counted_with_those_of_the_file(here: Installation) -> None:
    now = Clock().now()
    here.write([Segment("postgres", State.OK, now - 7200, None, ""), Segment("news-bot", State.OK, now - 7200, None, "")])
    assert "1 of 3 ok" in here.ctl("digest").stdout, "without discovery a name of the past is no service"
    here.config.write_text(here.config.read_text() + "discovery: docker\n")
    assert "2 of 4 ok" in here.ctl("digest").stdout
