"""What becomes of letters after an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recovery.backoff import LONGEST
from watchdog.alerts.answers import Answer, Verdict
from watchdog.alerts.parcels import Parcel, Waiting
from watchdog.alerts.settling import JITTER, KNOCK, doubted, interrupted, remaining, settled
from watchdog.model.incident import Tier
from watchdog.model.letter import Letter, LetterState
from watchdog.model.records import Notice, NoticeKind

NOW = 1000.0
LETTER = Letter(1, "telegram:1", 7, attempts=2, began_at=NOW)
CRITICAL = Notice(1, 7, "bot", Tier.CRITICAL, NoticeKind.NEW, 900.0, "text")
SOFT = replace(CRITICAL, tier=Tier.SOFT)
REPORT = replace(SOFT, incident=None)


def after(
    answer: Answer, letter: Letter = LETTER, notice: Notice = CRITICAL, edits: int | None = None, dice: float = 0.5
) -> Letter:
    (found,) = settled(Parcel((Waiting(letter, notice),), edits=edits), answer, "d1", NOW, lambda: dice)
    return found


def test_done() -> None:
    found = after(Answer(Verdict.DONE, message_id=42))
    assert (found.state, found.message_id, found.digest, found.done_at, found.began_at) == (LetterState.SENT, 42, "d1", NOW, None)
    assert after(Answer(Verdict.DONE), edits=9).message_id == 9


def test_a_merged_letter_is_done_with_the_message_of_the_newest() -> None:
    second = Waiting(replace(LETTER, notice=2), replace(CRITICAL, id=2))
    found = settled(Parcel((Waiting(LETTER, CRITICAL), second)), Answer(Verdict.DONE, message_id=42), "", NOW, lambda: 0.5)
    assert [each.state for each in found] == [LetterState.MERGED, LetterState.SENT]
    assert {each.message_id for each in found} == {42}


@pytest.mark.parametrize("dice", [0.0, 0.999])
def test_a_wait_that_was_asked_for_is_kept_with_jitter_and_uses_no_attempt(dice: float) -> None:
    found = after(Answer(Verdict.WAIT, wait=34.0), dice=dice)
    assert NOW + 34 <= found.not_before <= NOW + 34 * (1 + JITTER)
    assert found.attempts == 2
    assert found.waits


def test_what_did_not_arrive_waits_longer_each_time_up_to_five_minutes() -> None:
    assert after(Answer(Verdict.AGAIN)).not_before == NOW + 4
    many = after(Answer(Verdict.AGAIN), replace(LETTER, attempts=40), dice=0.999)
    assert LONGEST * 1.19 < many.not_before - NOW <= LONGEST * 1.2
    open_breaker = after(Answer(Verdict.AGAIN, wait=30.0))
    assert (open_breaker.attempts, open_breaker.not_before) == (2, NOW + 30)


@pytest.mark.parametrize("verdict", [Verdict.CHAT_OFF, Verdict.BOT_OFF])
def test_what_is_closed_to_us_is_knocked_at(verdict: Verdict) -> None:
    found = after(Answer(verdict, "403"))
    assert (found.waits, found.not_before, found.attempts, found.detail) == (True, NOW + KNOCK, 2, "403")


@pytest.mark.parametrize("verdict", [Verdict.REFUSED, Verdict.UNPARSED, Verdict.TOO_LONG, Verdict.NO_TOPIC, Verdict.NO_MESSAGE])
def test_what_no_remedy_helped_is_given_up(verdict: Verdict) -> None:
    assert after(Answer(verdict)).state is LetterState.REFUSED


def test_in_doubt_what_is_critical_is_said_again_and_the_rest_once() -> None:
    first = after(Answer(Verdict.DOUBT))
    assert (first.waits, first.doubts) == (True, 1)
    assert after(Answer(Verdict.DOUBT), first).waits
    soft = after(Answer(Verdict.DOUBT), notice=SOFT)
    assert (soft.waits, soft.doubts) == (True, 1)
    assert after(Answer(Verdict.DOUBT), soft, SOFT).state is LetterState.UNSURE


def test_an_edit_in_doubt_is_made_again_and_is_no_repetition() -> None:
    found = after(Answer(Verdict.DOUBT), edits=9)
    assert (found.waits, found.doubts) == (True, 0)


def test_a_daemon_that_died_while_sending_repeats_an_alert_and_no_report() -> None:
    alert = interrupted(LETTER, CRITICAL, NOW)
    assert (alert.waits, alert.doubts, alert.began_at) == (True, 1, None)
    assert interrupted(LETTER, REPORT, NOW).state is LetterState.UNSURE
    assert interrupted(replace(LETTER, doubts=1), SOFT, NOW).state is LetterState.UNSURE
    assert doubted(LETTER, REPORT, NOW, lambda: 0.5).waits, "a report in doubt is sent once more"


def test_t27_a_clock_that_was_set_makes_no_wait_longer() -> None:
    asked = replace(LETTER, tried_at=NOW, not_before=NOW + 60)
    assert remaining(asked, NOW + 10) == 50
    assert remaining(asked, NOW - 3600) == 60
    assert remaining(asked, NOW + 3600) == 0
    assert remaining(Letter(1, "telegram:1"), NOW) == 0
