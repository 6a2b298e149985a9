"""What happened between two looks, in one line each."""

from __future__ import annotations

from dataclasses import replace

from recovery.model import Run, RunOutcome, StepOutcome
from tests.fakes.performance import T, closed, evening, morning, recovery, step
from watchdog.demo.news import Line, news
from watchdog.demo.seen import Seen
from watchdog.model.incident import Incident, Outcome, Stage

HANGS = "wa-translator"


def told(before: Seen, after: Seen) -> list[str]:
    return [f"{line.sign} {line.who}: {line.text}" for line in news(before, after)]


def test_nothing_new_is_no_news() -> None:
    assert news(evening(), evening()) == ()


def test_each_bot_that_came_up_is_one_line() -> None:
    lines = told(Seen(T), morning())
    assert len(lines) == 11
    assert lines[0] == "✓ PostgreSQL: started, answers"


def test_the_film_of_a_bot_that_hangs() -> None:
    seen = morning()
    opened = Incident(1, HANGS, Stage.OPEN, T + 21, "timeout")
    films: list[tuple[Incident, tuple[Run, ...]]] = [(opened, ())]
    begun = recovery(21, HANGS, "restart-unresponsive", T + 25, None, of=1)
    films.append((replace(opened, stage=Stage.HEALING, symptom="unresponsive"), (begun,)))
    stop = step("stop_process", T + 25, "SIGTERM was ignored for 2.0 s, 2 killed")
    films.append((films[-1][0], (replace(begun, steps=(replace(stop, outcome=None, ended_at=None),)),)))
    films.append((films[-1][0], (replace(begun, steps=(stop,)),)))
    films.append((closed(1, HANGS, T + 21, Outcome.HEALED), (replace(begun, steps=(stop,), outcome=RunOutcome.HEALED),)))
    lines: list[str] = []
    for incident, runs in films:
        after = replace(seen, incidents=(incident,), runs=(*morning().runs, *runs))
        lines += told(seen, after)
        seen = after
    assert lines == [
        "✗ WhatsApp Translator: timeout",
        "→ WhatsApp Translator: restart-unresponsive",
        "→ WhatsApp Translator: SIGTERM was ignored for 2.0 s, 2 killed",
        "✓ WhatsApp Translator: healthy again after 7 s",
    ]


def test_who_is_left_alone_and_who_came_back_by_itself() -> None:
    waits = Incident(5, "report-bot", Stage.BLOCKED, T + 49, "blocked by postgres", "critical", blocked_by="postgres")
    before = replace(morning(), incidents=(replace(waits, stage=Stage.CONFIRMED, blocked_by=None),))
    after = replace(before, incidents=(waits,))
    assert told(before, after) == ["○ Report Bot: left alone: waits for PostgreSQL"]
    other = replace(before, incidents=(replace(waits, blocked_by="ezee-scraper"),))
    assert told(after, other) == ["○ Report Bot: left alone: waits for eZee Scraper"]
    alone = replace(before, incidents=(closed(5, "report-bot", T + 49, Outcome.SELF_RECOVERED),))
    assert told(after, alone) == ["✓ Report Bot: well again by itself after 7 s, not touched"]


def test_tries_are_counted_and_a_failed_one_says_why() -> None:
    after = evening()
    before = replace(after, runs=after.runs[:-2])
    assert told(before, after) == [
        "→ Rates Bot: restart-unresponsive, try 2 of 3",
        "✗ Rates Bot: refused",
        "→ Rates Bot: restart-unresponsive, try 3 of 3",
        "✗ Rates Bot: refused",
    ]


def test_parked_and_the_page() -> None:
    after = evening()
    healing = [replace(each, stage=Stage.HEALING) if each.id == 9 else each for each in after.incidents]
    before = replace(after, incidents=tuple(healing), notices=())
    assert [(line.sign, line.text) for line in news(before, after)] == [
        ("✗", "parked after 3 tries: nothing more for an hour"),
        ("✗", "a critical alert goes out: a person is needed"),
    ]


def test_a_step_that_failed_or_says_nothing_is_not_told() -> None:
    before = replace(morning(), runs=(*morning().runs, recovery(21, "menu-bot", "soft-recovery", T + 40, None)))
    failed = replace(step("reload", T + 41, "no"), outcome=StepOutcome.FAILED)
    plain = replace(step("stop_process", T + 42, "ended by SIGTERM at once"), index=1)
    run = replace(before.runs[-1], steps=(failed, plain))
    assert news(before, replace(before, runs=(*morning().runs, run))) == ()


def test_an_incident_first_seen_when_it_was_over_is_told_whole() -> None:
    lines = news(morning(), replace(morning(), incidents=(closed(1, "faq-bot", T + 21, Outcome.SELF_RECOVERED),)))
    assert [line.text for line in lines] == ["critical", "well again by itself after 7 s, not touched"]
    assert all(isinstance(line, Line) for line in lines)
