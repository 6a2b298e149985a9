"""What people read, word by word."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta, timezone

from recovery.model import Effect, Run, RunOutcome, StepOutcome, StepRecord
from watchdog.alerts.messages import approval, edit, message, note, reminder
from watchdog.alerts.story import Question, Story
from watchdog.model.incident import Incident, Outcome, Stage, Tier

TZ = timezone(timedelta(hours=5))
T0 = 1_786_833_120.0
"""03:32 in TZ."""


def step(action: str, effect: Effect, outcome: StepOutcome, detail: str) -> StepRecord:
    return StepRecord(0, action, action, effect, T0, ended_at=T0 + 10, outcome=outcome, detail=detail)


FIRST = Run(
    1,
    "ezee-scraper",
    "restart-unresponsive",
    214,
    T0 + 120,
    Effect.RESTART,
    ended_at=T0 + 200,
    outcome=RunOutcome.FAILED,
    detail="no good answer within 3 min",
    steps=(
        step("capture_evidence", Effect.NONE, StepOutcome.OK, "kept"),
        step("stop_process", Effect.RESTART, StepOutcome.OK, "ignored SIGTERM for 10 s, killed"),
        step("ensure_running", Effect.RESTART, StepOutcome.OK, "started"),
    ),
)
SECOND = replace(
    FIRST,
    id=2,
    started_at=T0 + 540,
    steps=(
        step("stop_process", Effect.RESTART, StepOutcome.OK, "ended in 0.2 s"),
        step("ensure_running", Effect.RESTART, StepOutcome.FAILED, "exited at once with code 1"),
    ),
)
DOWN = Incident(
    214, "ezee-scraper", Stage.CONFIRMED, T0, symptom="unresponsive", confirmed_at=T0 + 90, clock_at=T0, tier=Tier.CRITICAL
)
STORY = Story(
    "eZee Scraper",
    DOWN,
    T0 + 900,
    TZ,
    saw=("timeout",) * 4 + ("refused",) * 3,
    runs=(FIRST, SECOND),
    blocked=("Report bot",),
    log=("ImportError: cannot import name 'Sheet' from 'gspread'",),
    before="4 times in 30 days, restart-unresponsive helped each time",
    next="one attempt at 04:32, nothing until then",
    host="CPU 12 % · memory 61 % · disk 78 %",
)
HEALED = replace(FIRST, outcome=RunOutcome.HEALED)


def test_a_page_says_everything_that_the_phone_needs() -> None:
    assert message(STORY).splitlines() == [
        "🔴 eZee Scraper down 15 min, not healed",
        "since 03:32 +05 · incident 214",
        "",
        "Saw     timeout ×4, then refused ×3",
        "Tried   03:34 restart-unresponsive: ignored SIGTERM for 10 s, killed, started, no good answer within 3 min",
        "        03:41 restart-unresponsive: ended in 0.2 s, ✗ ensure running: exited at once with code 1",
        "Blocks  Report bot",
        "Log     ImportError: cannot import name 'Sheet' from 'gspread'",
        "Host    CPU 12 % · memory 61 % · disk 78 %",
        "Before  4 times in 30 days, restart-unresponsive helped each time",
        "Next    one attempt at 04:32, nothing until then",
        "Act     watchdogctl incident 214",
        "        watchdogctl hold ezee-scraper --for 1h",
    ]


def test_a_parked_one_says_how_many_tries_failed_and_how_to_try_again() -> None:
    text = message(replace(STORY, incident=replace(DOWN, stage=Stage.PARKED)))
    assert text.splitlines()[0] == "🔴 eZee Scraper down 15 min, 2 tries failed"
    assert "watchdogctl recover ezee-scraper" in text


def test_many_tries_are_shortened() -> None:
    runs = tuple(replace(FIRST, id=n, started_at=T0 + 60 * n, detail=f"end {n}") for n in range(9))
    tried = [
        line for line in message(replace(STORY, runs=runs)).splitlines() if "restart-unresponsive:" in line or "more" in line
    ]
    assert len(tried) == 4
    assert "… 6 more" in tried[1]


def tried(runs: tuple[Run, ...], incident: Incident = DOWN) -> list[str]:
    lines = message(replace(STORY, runs=runs, incident=incident)).splitlines()
    return [line[8:] for line in lines if " restart-unresponsive" in line[:40] or "more" in line]


def test_equal_tries_in_a_row_are_told_once() -> None:
    words = "restart-unresponsive: ignored SIGTERM for 10 s, killed, started, no good answer within 3 min"
    again = tuple(replace(FIRST, id=n, started_at=T0 + 60 * n) for n in range(3))
    assert tried(again) == ["03:32–03:34 " + words.replace(":", " 3 ×:", 1)]
    others = tuple(replace(FIRST, id=n, started_at=T0 + 600 + 60 * n, detail=f"end {n // 2}") for n in range(8))
    assert "… 4 more" in tried((*again, *others))[1]


def test_tries_from_before_a_relapse_are_not_told_again() -> None:
    back = replace(DOWN, stage=Stage.PARKED, reopened_at=T0 + 300, relapses=1)
    (line,) = tried((FIRST, SECOND), back)
    assert line.startswith("03:41 restart-unresponsive")
    head, since = message(replace(STORY, incident=back)).splitlines()[:2]
    assert head.endswith(" down 10 min, parked"), "one try is no '2 tries failed', and the time is that of the line below"
    assert since.startswith("since 03:37 ")


def test_what_keeps_dying_tells_how_often_and_why_nothing_was_tried() -> None:
    text = "4 exits in 2 min 5 s, the last: exited with code 1"
    dying = replace(DOWN, stage=Stage.PARKED, symptom="crash_loop", reason=text)
    page = message(replace(STORY, incident=dying, runs=()))
    assert page.splitlines()[0] == "🔴 eZee Scraper keeps dying, 4 exits in 2 min 5 s"
    assert "Tried   nothing: each new start ends again" in page


def test_what_needs_a_person_says_so_and_how_it_ends() -> None:
    waiting = replace(DOWN, stage=Stage.PERSON, reason="it exited 4 times in 10 min", reminded_at=T0)
    lines = message(replace(STORY, incident=waiting, runs=(), next="")).splitlines()
    assert lines[0] == "🔴 eZee Scraper needs you: it exited 4 times in 10 min"
    assert not [line for line in lines if line.startswith("Tried")]
    assert "Next    fix it, and this closes by itself; I ask again tomorrow at 09:00" in lines
    assert reminder(replace(STORY, incident=waiting)).startswith("🔴 eZee Scraper still needs you: it exited 4 times")


def test_a_run_that_was_called_back_is_no_failed_try() -> None:
    held = replace(SECOND, outcome=RunOutcome.HELD, detail="on hold by root; brought up again")
    text = message(replace(STORY, incident=replace(DOWN, stage=Stage.PARKED), runs=(FIRST, replace(FIRST, id=3), held)))
    assert text.splitlines()[0] == "🔴 eZee Scraper down 15 min, 2 tries failed"


def test_when_the_last_rung_failed_the_first_line_says_how_many_tries_there_were() -> None:
    waiting = replace(DOWN, stage=Stage.PERSON, reason="restart-unresponsive: no good answer within 3 min", reminded_at=T0)
    assert (
        message(replace(STORY, incident=waiting)).splitlines()[0]
        == "🔴 eZee Scraper needs you: down 15 min, 2 tries did not help"
    )
    alone = replace(STORY, incident=waiting, runs=(FIRST,))
    assert message(alone).splitlines()[0] == "🔴 eZee Scraper needs you: down 15 min, restart-unresponsive did not help"
    refused = replace(waiting, reason="approval of deep-clean: rejected")
    assert message(replace(STORY, incident=refused)).startswith(
        "🔴 eZee Scraper needs you: down 15 min, a person said no to deep-clean"
    )


def test_while_an_attempt_runs_nothing_else_is_next() -> None:
    open_run = replace(FIRST, id=3, ended_at=None, outcome=None)
    text = message(replace(STORY, incident=replace(DOWN, stage=Stage.HEALING), runs=(FIRST, open_run)))
    assert "Next    restart-unresponsive is running" in text
    assert "one attempt" not in text


def test_what_a_hold_left_behind_is_not_told_after_it() -> None:
    again = replace(DOWN, tier=Tier.SOFT, stage=Stage.OPEN, reason="the hold is over; confirmed anew")
    told = message(replace(STORY, incident=again, next="on hold by root, until 03:50"))
    assert told == "🟡 eZee Scraper: not answering for 15 min, the hold is over; confirmed anew · incident 214"


def test_a_page_about_what_only_waits_says_what_for() -> None:
    waits = replace(DOWN, stage=Stage.WAITING, reason="observe: would run restart-unresponsive")
    told = message(replace(STORY, incident=waits, next="", runs=()))
    assert "Tried   nothing: the mode is observe" in told
    assert "Next    nothing by me; without observe I would run restart-unresponsive" in told
    assert "Act     watchdogctl incident 214\n        watchdogctl ack 214 # seen, no more sound" in told
    cools = replace(DOWN, stage=Stage.WAITING, reason="cooldown of restart-unresponsive")
    assert "Next    I wait: cooldown of restart-unresponsive" in message(replace(STORY, incident=cools, next=""))


def test_what_was_seen_is_never_the_name_of_a_run() -> None:
    healing = replace(DOWN, stage=Stage.HEALING, reason="restart-unresponsive")
    assert "Saw     not answering" in message(replace(STORY, incident=healing, saw=()))
    confirmed = replace(DOWN, reason="4 timeouts in a row")
    assert "Saw     4 timeouts in a row" in message(replace(STORY, incident=confirmed, saw=()))


def test_a_page_tells_how_the_dependencies_are() -> None:
    assert "Needs   Postgres is ok, Redis is being healed" in message(
        replace(STORY, needs=("Postgres is ok", "Redis is being healed"))
    )


def test_a_soft_line_is_edited_from_under_way_to_done() -> None:
    open_run = replace(FIRST, ended_at=None, outcome=None)
    soft = replace(STORY, now=T0 + 180, incident=replace(DOWN, tier=Tier.SOFT, stage=Stage.HEALING), runs=(open_run,))
    assert message(soft) == "🟡 eZee Scraper: not answering for 3 min, restart-unresponsive is running · incident 214"
    closed = replace(soft.incident, stage=Stage.CLOSED, outcome=Outcome.HEALED, closed_at=T0 + 250)
    assert edit(replace(soft, incident=closed, runs=(HEALED,))) == (
        "🟡 eZee Scraper: restarted, healthy again after 4 min 10 s · incident 214"
    )


def test_each_tier_has_its_close() -> None:
    gone = replace(DOWN, stage=Stage.CLOSED, outcome=Outcome.HEALED, closed_at=T0 + 900)
    assert message(replace(STORY, incident=replace(gone, tier=Tier.SILENT))) == "eZee Scraper: auto-recovered at 03:47"
    assert message(replace(STORY, incident=gone, runs=(HEALED,))) == (
        "✅ eZee Scraper is back after 15 min (restarted at 03:34). Incident 214."
    )
    asked = replace(HEALED, by="root")
    assert "(root asked for restart-unresponsive at 03:34)" in message(replace(STORY, incident=gone, runs=(asked,)))
    alone = replace(gone, outcome=Outcome.SELF_RECOVERED)
    assert message(replace(STORY, incident=alone)) == "✅ eZee Scraper is back after 15 min (by itself). Incident 214."
    given = replace(gone, outcome=Outcome.ESCALATED)
    assert message(replace(STORY, incident=given)) == "✅ eZee Scraper is back after 15 min (not by me). Incident 214."
    theirs = replace(gone, outcome=Outcome.IGNORED, reason="2 good answers in a row", tier=Tier.SILENT)
    assert message(replace(STORY, incident=theirs)) == "eZee Scraper: over at 03:47, a person had it in hand"
    removed = replace(gone, outcome=Outcome.REMOVED)
    assert message(replace(STORY, incident=removed)).startswith("☑ eZee Scraper: closed after 15 min, it left")


def test_a_question_has_both_answers() -> None:
    text = approval(Question("eZee", "ezee", 12, "deep-clean", "Empties it", 3, T0 + 1800, TZ, T0, "disk full"))
    assert text.startswith("🟡 eZee: may I run deep-clean?")
    assert "watchdogctl approve 12" in text
    assert "watchdogctl reject 12" in text
    assert text.splitlines()[-1] == "Without an answer by then nothing is done, and it is yours."


def test_hostile_text_stays_one_line_and_short() -> None:
    evil = "\x1b[2J<b>*bold*</b>\nsince 00:00 · all is well " + "x" * 100_000
    story = replace(
        STORY,
        title=evil,
        saw=(evil,),
        log=(evil, evil),
        runs=(replace(FIRST, detail=evil),),
        incident=replace(DOWN, reason=evil, cause=evil),
    )
    text = message(story)
    assert len(text) < 2500
    assert "\x1b" not in text
    assert not [line for line in text.splitlines() if line.startswith("since 00:00")]
    assert "\n" not in note(evil, evil)


def test_a_changing_cause_is_summed_up() -> None:
    saw = ("timeout", "refused", "HTTP 500", "timeout", "refused", "HTTP 500", "timeout")
    assert "Saw     timeout, then refused, then 2 others, then refused, then HTTP 500, then timeout" in message(
        replace(STORY, saw=saw)
    )
