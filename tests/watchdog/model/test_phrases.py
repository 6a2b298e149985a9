"""The words for symptoms, runs and moments."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from recovery.model import Effect, Run, RunOutcome, StepOutcome, StepRecord
from watchdog.model.phrases import counted, done, moment, offset, state_word, tried

T0 = datetime(2026, 8, 16, 3, 32, tzinfo=UTC).timestamp()


def run(*actions: str) -> Run:
    steps = tuple(StepRecord(n, a, a, Effect.RESTART, T0, outcome=StepOutcome.OK) for n, a in enumerate(actions))
    return Run(1, "bot", "my-playbook", 1, T0, Effect.RESTART, outcome=RunOutcome.HEALED, steps=steps)


@pytest.mark.parametrize(
    ("actions", "word"),
    [
        (("stop_process", "ensure_running"), "restarted"),
        (("restart",), "restarted"),
        (("ensure_running",), "started"),
        (("reload",), "reloaded"),
        (("stop_process",), "stopped"),
        (("run_command",), "my-playbook run"),
    ],
)
def test_what_a_run_did_is_one_word(actions: tuple[str, ...], word: str) -> None:
    assert done(run(*actions)) == word


def test_moments_of_today_are_a_time_and_older_ones_have_their_day() -> None:
    assert moment(T0, T0 + 900, UTC, zone=True) == "03:32 UTC"
    assert moment(T0, T0 + 3 * 86400, UTC) == "Sun 16 Aug 03:32"


@pytest.mark.parametrize(("minutes", "text"), [(300, "+05"), (330, "+05:30"), (-180, "-03"), (0, "UTC")])
def test_a_zone_is_written_as_people_do(minutes: int, text: str) -> None:
    assert offset(datetime.fromtimestamp(T0, timezone(timedelta(minutes=minutes)))) == text


def test_repeats_become_numbers() -> None:
    assert counted(("timeout",) * 4 + ("refused",)) == "timeout ×4, then refused"
    assert counted(()) == ""


def test_an_unknown_symptom_is_still_readable() -> None:
    assert state_word("error_rate") == "error rate"
    assert state_word(None) == "not well"


def test_a_run_without_steps_has_begun() -> None:
    begun = Run(1, "bot", "p", 1, T0, Effect.RESTART, by="anna")
    assert tried(begun, UTC) == "03:32 p (by anna): begun"


def test_a_step_that_was_the_end_of_its_run_is_told_once() -> None:
    step = StepRecord(
        0, "a", "ensure_running", Effect.RESTART, T0, outcome=StepOutcome.IMPOSSIBLE, detail="/opt/bot does not exist"
    )
    ended = Run(1, "bot", "p", 1, T0, Effect.RESTART, outcome=RunOutcome.FAILED, steps=(step,))
    told = "03:32 p: ✗ ensure running: /opt/bot does not exist"
    assert tried(replace(ended, detail="ensure_running: /opt/bot does not exist"), UTC) == told
    assert tried(replace(ended, detail="no good answer within 3 min"), UTC) == f"{told}, no good answer within 3 min"


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ("1 process, 3 threads; active in parse (bot.py:41)", "active in parse (bot.py:41), stop process"),
        ("2 processes, 9 threads; idle in read (ssl.py:1), called by get (bot.py:7); 1 not seen: py-spy did not end in time",
         "idle in read (ssl.py:1), called by get (bot.py:7), stop process"),
        ("1 process, 1 thread; all idle, nothing blocks a thread", "stop process"),
    ],
)  # fmt: skip
def test_of_the_stacks_a_person_is_told_in_what_the_bot_was_caught(detail: str, told: str) -> None:
    stacks = StepRecord(0, "s", "capture_stacks", Effect.NONE, T0, outcome=StepOutcome.OK, detail=detail)
    stop = StepRecord(1, "t", "stop_process", Effect.RESTART, T0, outcome=StepOutcome.OK)
    assert tried(replace(run(), steps=(stacks, stop)), UTC) == f"03:32 my-playbook: {told}, healthy again"
