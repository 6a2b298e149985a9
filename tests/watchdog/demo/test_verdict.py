"""Each lie that the demo could tell is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from recovery.model import RunOutcome
from tests.fakes.performance import T, evening, morning, recovery, step
from watchdog.demo.seen import Seen
from watchdog.demo.verdict import failures
from watchdog.model.incident import Outcome, Stage, Tier


def incident(seen: Seen, number: int, **changes: object) -> Seen:
    changed = tuple(replace(each, **changes) if each.id == number else each for each in seen.incidents)  # type: ignore[arg-type]
    return replace(seen, incidents=changed)


def run(seen: Seen, number: int, **changes: object) -> Seen:
    return replace(seen, runs=tuple(replace(each, **changes) if each.id == number else each for each in seen.runs))  # type: ignore[arg-type]


def without_run(seen: Seen, number: int) -> Seen:
    return replace(seen, runs=tuple(each for each in seen.runs if each.id != number))


def started(seen: Seen, name: str, count: int) -> Seen:
    return replace(seen, starts={**seen.starts, name: count})


def test_a_good_performance_has_no_fault() -> None:
    assert failures(evening()) == []


LIES: dict[str, tuple[Callable[[Seen], Seen], str]] = {
    "one never came up": (lambda s: run(s, 11, outcome=RunOutcome.FAILED), "FAQ Bot was not brought up"),
    "the order was wrong": (lambda s: run(s, 2, started_at=T + 1), "Booking Bot was started before postgres"),
    "a dependent was restarted": (
        lambda s: replace(s, runs=(*s.runs, recovery(99, "report-bot", "diagnose-critical", T + 52))),
        "report-bot was treated with diagnose-critical though it was to be left alone",
    ),
    "a dependent was started twice": (
        lambda s: started(s, "report-bot", 2),
        "report-bot says that it was started 2 times, not 1",
    ),
    "the hung bot was not restarted": (lambda s: without_run(s, 21), "wa-translator was to be treated with 1 × restart"),
    "its restart failed": (lambda s: run(s, 21, outcome=RunOutcome.FAILED), "it was: restart-unresponsive failed"),
    "it listened to SIGTERM": (
        lambda s: run(s, 21, steps=(step("stop_process", T, "ended by SIGTERM at once"),)),
        "was to ignore SIGTERM and be killed, it was: ended by SIGTERM",
    ),
    "the database was restarted twice": (lambda s: started(s, "postgres", 3), "postgres says that it was started 3 times"),
    "its incident was not healed": (lambda s: incident(s, 3, outcome=Outcome.ESCALATED), "the incident of postgres did not end"),
    "a dependent had an incident of its own": (
        lambda s: incident(s, 4, parent=None),
        "booking-bot was to be explained by postgres",
    ),
    "the hopeless one had two tries": (lambda s: without_run(s, 80), "rates-bot was to be treated with 3 ×"),
    "it was not parked": (lambda s: incident(s, 9, stage=Stage.CONFIRMED), "rates-bot was not parked as critical"),
    "nobody was told": (lambda s: replace(s, notices=()), "there were 0: none"),
    "too many were told": (
        lambda s: replace(s, notices=(*s.notices, replace(s.notices[0], id=2, service="host"))),
        "there were 2: rates-bot, host",
    ),
    "its dependent was not left alone": (lambda s: incident(s, 10, stage=Stage.HEALING), "invoice-bot was to wait for rates-bot"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_found(lie: str) -> None:
    change, found = LIES[lie]
    assert any(found in sentence for sentence in failures(change(evening())))


def test_a_soft_message_is_no_page() -> None:
    seen = evening()
    soft = replace(seen.notices[0], id=2, tier=Tier.SOFT, service="menu-bot")
    assert failures(replace(seen, notices=(*seen.notices, soft))) == []


def test_a_morning_is_no_evening() -> None:
    assert len(failures(morning())) > 8
