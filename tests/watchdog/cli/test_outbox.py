from __future__ import annotations

from dataclasses import replace

from tests.fakes.installation import Installation
from watchdog.clock import Clock
from watchdog.model.incident import Tier
from watchdog.model.letter import Chat, Letter, LetterState
from watchdog.model.records import Notice, NoticeKind


def past(here: Installation) -> None:
    now = Clock().now()
    notice = Notice(1, 214, "ezee-scraper", Tier.CRITICAL, NoticeKind.NEW, now - 840, "🔴 eZee Scraper down 15 min\nmore")
    why = "no connection (Connection refused)"
    waits = Letter(1, "telegram:111111111", 214, attempts=4, not_before=now + 61, tried_at=now, detail=why)
    lost = replace(waits, address="telegram:222", state=LetterState.REFUSED, done_at=now, detail="400 Bad Request: odd")
    there = replace(waits, address="telegram:333", state=LetterState.SENT, done_at=now)
    here.write([notice, waits, lost, there, Chat("telegram:222", off="403 Forbidden: bot was blocked by the user")])


def test_nothing_waits(here: Installation) -> None:
    here.write([])
    assert here.ctl("outbox").stdout == "Nothing waits.\n"
    assert here.document("outbox") == []


def test_what_waits_for_whom_and_why(here: Installation) -> None:
    past(here)
    told = here.ctl("outbox").stdout
    assert "! telegram:222: 403 Forbidden: bot was blocked by the user" in told
    assert "1 message waiting" in told
    assert "eZee Scraper down 15 min" in told
    assert "no connection (Connection refused), tried 4 times" in told
    assert "Given up in the last 24 hours" in told
    assert "telegram:333" not in told


def test_as_json_it_has_one_entry_for_each_letter(here: Installation) -> None:
    past(here)
    first, second = here.document("outbox")
    assert (first["to"], first["state"], first["attempts"]) == ("telegram:111111111", "waiting", 4)
    assert first["next_at"].endswith("Z")
    assert (second["state"], second["reason"], second["next_at"]) == ("refused", "400 Bad Request: odd", None)
