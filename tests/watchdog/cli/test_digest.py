from __future__ import annotations

from tests.fakes import past
from tests.fakes.installation import Installation
from watchdog.clock import Clock


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
