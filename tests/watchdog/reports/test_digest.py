"""The digest of a day, as data and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, time

import pytest

from recovery.model import Effect, Run, RunOutcome, StepOutcome, StepRecord
from watchdog.model.incident import Incident, Outcome, Stage, Tier
from watchdog.model.records import Hold, Notice, NoticeKind, Segment
from watchdog.model.service import State
from watchdog.reports.digest import as_json, day, digest
from watchdog.reports.material import Material, Planned
from watchdog.reports.uptime import shares, uptime

HOUR = 3600.0
DAY = 24 * HOUR
END = datetime(2026, 8, 16, 8, 30, tzinfo=UTC).timestamp()
PERIOD = (END - DAY, END)
TITLES = {"scraper": "eZee Scraper", "postgres": "Postgres"}
WELL = {"scraper": State.OK, "postgres": State.OK}
HUNG = Incident(
    1,
    "scraper",
    Stage.CLOSED,
    END - 5 * HOUR,
    symptom="unresponsive",
    confirmed_at=END - 5 * HOUR + 90,
    closed_at=END - 5 * HOUR + 144,
    outcome=Outcome.HEALED,
)
RESTART = Run(
    1,
    "scraper",
    "restart-unresponsive",
    1,
    END - 5 * HOUR + 91,
    Effect.RESTART,
    outcome=RunOutcome.HEALED,
    steps=(
        StepRecord(0, "stop", "stop_process", Effect.RESTART, 0.0, outcome=StepOutcome.OK),
        StepRecord(1, "run", "ensure_running", Effect.RESTART, 0.0, outcome=StepOutcome.OK),
    ),
)


def of(*incidents: Incident, **more: object) -> Material:
    return replace(Material(TITLES, WELL, incidents, (RESTART,)), **more)  # type: ignore[arg-type]


def test_a_recovery_has_time_cause_action_and_duration() -> None:
    made = digest(of(HUNG), PERIOD, UTC)
    line = made.healed[0]
    assert (line.title, line.what, line.duration) == ("eZee Scraper", "not answering, restarted", 144)
    assert (made.mean_healed, made.mean_all) == (144, 144)
    assert (made.well, made.total, made.quiet) == (2, 2, False)


def test_what_is_outside_the_period_is_not_in_it() -> None:
    old = replace(HUNG, id=2, opened_at=END - 2 * DAY, closed_at=END - 2 * DAY + 60)
    made = digest(of(old), PERIOD, UTC)
    assert made.quiet
    assert made.last_recovery == END - 2 * DAY + 60


def test_blips_are_counted_and_members_are_not_listed() -> None:
    blip = replace(HUNG, id=2, confirmed_at=None, symptom=None, outcome=Outcome.SELF_RECOVERED)
    member = replace(HUNG, id=3, parent=1)
    made = digest(of(HUNG, blip, member), PERIOD, UTC)
    assert made.blips == 1
    assert [line.incident for line in made.healed] == [1]


def test_what_waits_for_people_is_named() -> None:
    waits = replace(HUNG, id=4, stage=Stage.PERSON, closed_at=None, outcome=Outcome.ESCALATED, tier=Tier.CRITICAL, reason="QR")
    parked = replace(waits, id=5, service="postgres", stage=Stage.PARKED)
    made = digest(of(waits, parked), PERIOD, UTC)
    assert [(line.title, line.what) for line in made.person] == [("eZee Scraper", "QR")]
    assert made.parked == ("Postgres",)
    assert [line.open for line in made.paged] == [True, True]


def test_a_page_is_told_though_the_incident_came_back_and_ended_quietly() -> None:
    quiet = replace(HUNG, outcome=Outcome.IGNORED, relapses=1, tier=Tier.SILENT)
    page = Notice(1, HUNG.id, "scraper", Tier.CRITICAL, NoticeKind.NEW, END - 5 * HOUR, "x")
    assert [line.incident for line in digest(of(quiet, notices=(page,)), PERIOD, UTC).paged] == [HUNG.id]
    close = replace(page, kind=NoticeKind.CLOSE)
    assert digest(of(quiet, notices=(close,)), PERIOD, UTC).paged == ()


def test_a_question_that_only_a_person_can_answer_waits_for_one() -> None:
    asks = replace(HUNG, id=6, stage=Stage.WAITING, closed_at=None, outcome=None, reason="approval: deep-clean waits for a yes")
    only = replace(asks, id=8, stage=Stage.PERSON, reason="no runtime is declared: it is watched only, and a person must act")
    assert [line.what for line in digest(of(only), PERIOD, UTC).person] == ["not answering, I can only watch it"]
    cools = replace(asks, id=7, service="postgres", reason="cooldown of restart-unresponsive")
    made = digest(of(asks, cools), PERIOD, UTC)
    assert [(line.incident, line.what) for line in made.person] == [(6, "approval: deep-clean waits for a yes")]


def test_holds_and_stops_are_told_while_they_last() -> None:
    hold = Hold("scraper", END - HOUR, END + HOUR, "root")
    holds = (hold, replace(hold, service="postgres", stop=True), replace(hold, ended_at=END - 60))
    made = digest(of(holds=holds), PERIOD, UTC)
    assert (made.held, made.stopped) == (("eZee Scraper",), ("Postgres",))


def test_what_is_slow_now_is_named() -> None:
    made = digest(of(slow={"scraper": "answers take 2 s, usually 100 ms, for 6 min"}), PERIOD, UTC)
    assert [(each.title, each.how) for each in made.slow] == [("eZee Scraper", "answers take 2 s, usually 100 ms, for 6 min")]
    assert not made.quiet


def test_uptime_is_told_with_and_without_planned_time() -> None:
    segments = (
        Segment("scraper", State.OK, END - 2 * DAY, END - 10 * HOUR),
        Segment("scraper", State.DOWN, END - 10 * HOUR, END - 8 * HOUR),
        Segment("scraper", State.STARTING, END - 8 * HOUR, END - 7 * HOUR),
        Segment("scraper", State.DEGRADED, END - 7 * HOUR),
    )
    hold = Hold("*", END - 10 * HOUR, END - 6 * HOUR, "root", ended_at=END - 9 * HOUR)
    up, known, free_up, free_known = shares(of(segments=segments, holds=(hold,)), "scraper", *PERIOD)
    assert (up, known) == (21 * HOUR, 23 * HOUR)
    assert (free_up, free_known) == (21 * HOUR, 22 * HOUR)
    window = Planned("scraper", END - 9.5 * HOUR, END - 8 * HOUR)
    assert shares(of(segments=segments, holds=(hold,), planned=(window,)), "scraper", *PERIOD)[3] == 21 * HOUR
    assert uptime(of(), *PERIOD) == (None, None)


def test_a_bot_stopped_on_purpose_is_planned_time() -> None:
    segments = (Segment("scraper", State.OK, END - DAY, END - 12 * HOUR), Segment("scraper", State.STOPPED, END - 12 * HOUR))
    assert uptime(of(segments=segments), *PERIOD) == (0.5, 1.0)


def test_healing_must_not_hide_rot() -> None:
    week = tuple(replace(HUNG, id=n, opened_at=END - n * DAY, closed_at=END - n * DAY + 60) for n in range(1, 7))
    last = (replace(HUNG, id=20, closed_at=END - 9 * DAY),)
    worse = digest(of(*week, *last), PERIOD, UTC).worse
    assert [(each.title, each.week, each.before) for each in worse] == [("eZee Scraper", 6, 1)]
    assert worse[0].mostly == "not answering, mostly 08:00–09:00"
    assert digest(of(*week[:2]), PERIOD, UTC).worse == ()


@pytest.mark.parametrize(("clock", "broken"), [("23:10", 1), ("07:59", 1), ("12:00", 0)])
def test_a_page_in_the_night_breaks_one_night(clock: str, broken: int) -> None:
    hour, minute = (int(part) for part in clock.split(":"))
    at = datetime(2026, 8, 15 if hour > 8 else 16, hour, minute, tzinfo=UTC).timestamp()
    notice = Notice(1, 1, "scraper", Tier.CRITICAL, NoticeKind.NEW, at, "x")
    edited = replace(notice, kind=NoticeKind.EDIT)
    assert digest(of(notices=(notice, replace(notice, at=at - 30), edited)), PERIOD, UTC).nights_broken == broken


def test_saved_time_is_what_a_person_would_have_needed_less_what_we_took() -> None:
    assert digest(of(HUNG), PERIOD, UTC, manual=2700).saved == 2700 - 144


def test_a_period_reaches_back_to_the_digest_before() -> None:
    assert day(END + 60, UTC) == (END - DAY, END + 60)
    assert day(END - 60, UTC) == (END - 2 * DAY, END - 60)
    assert day(END, UTC, time(8, 30))[0] == END - DAY


def test_the_json_form_has_utc_times_and_seconds() -> None:
    out = json.loads(json.dumps(as_json(digest(of(HUNG), PERIOD, UTC))))
    assert out["until"] == "2026-08-16T08:30:00Z"
    assert out["healed"][0]["at"] == "2026-08-16T03:32:24Z"
    assert out["healed"][0]["duration"] == 144


def test_what_people_took_away_beside_us_is_listed_with_its_beginning_and_is_planned_time() -> None:
    words = "stopped by hand (docker stop)"
    rows = (
        Segment("scraper", State.OK, END - 30 * HOUR, END - 6 * HOUR),
        Segment("scraper", State.STOPPED, END - 6 * HOUR, None, words),
        Segment("postgres", State.STOPPED, END - 9 * HOUR, END - 8 * HOUR, words),
        Segment("postgres", State.OK, END - 8 * HOUR, None),
    )
    made = digest(of(segments=rows, states={"scraper": State.STOPPED, "postgres": State.OK}), PERIOD, UTC)
    assert [(each.title, each.how, each.since) for each in made.left] == [("eZee Scraper", words, END - 6 * HOUR)]
    assert made.stopped == ()
    assert not made.quiet
    assert made.uptime is not None
    assert made.uptime < 1
    assert made.uptime_unplanned == 1.0
    assert as_json(made)["left"] == [
        {"title": "eZee Scraper", "service": "scraper", "how": words, "since": "2026-08-16T02:30:00Z"}
    ]


def test_what_was_stopped_through_us_is_listed_once() -> None:
    rows = (Segment("scraper", State.STOPPED, END - HOUR, None, "stopped"),)
    hold = Hold("scraper", END - HOUR, END + HOUR, "anna", stop=True)
    made = digest(of(segments=rows, holds=(hold,)), PERIOD, UTC)
    assert (made.left, made.stopped) == ((), ("eZee Scraper",))


def test_docker_and_this_host_have_their_names() -> None:
    away = replace(HUNG, service="docker", symptom="docker", outcome=Outcome.SELF_RECOVERED)
    made = digest(of(away), PERIOD, UTC)
    assert (made.recovered[0].title, made.recovered[0].what) == ("Docker", "not answering, well again by itself")


def test_what_nobody_watched_is_no_uptime_and_no_trouble() -> None:
    rows = (
        Segment("scraper", State.OK, END - DAY, None),
        Segment("host", State.UNKNOWN, END - 20 * HOUR, END - 8 * HOUR, "the watchdog did not run"),
        Segment("postgres", State.DOWN, END - 9 * HOUR, END - 5 * HOUR),
    )
    hold = Hold("postgres", END - 9 * HOUR, END - 6 * HOUR, "root", ended_at=END - 6 * HOUR)
    material = of(segments=rows, holds=(hold,))
    assert shares(material, "scraper", *PERIOD) == (12 * HOUR,) * 4
    assert shares(material, "postgres", *PERIOD) == (0.0, 3 * HOUR, 0.0, HOUR)
    made = replace(digest(material, PERIOD, UTC), due=END - HOUR)
    assert made.unwatched == ((END - 20 * HOUR, END - 8 * HOUR),)
    out = as_json(made)
    assert (out["unwatched"], out["due"]) == ([["2026-08-15T12:30:00Z", "2026-08-16T00:30:00Z"]], "2026-08-16T07:30:00Z")
