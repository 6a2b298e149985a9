from __future__ import annotations

from dataclasses import replace

import pytest

from watchdog.alerts.answers import Answer, Verdict
from watchdog.alerts.draft import Draft, mended

DRAFT = Draft("text", chat=-100, topic=5, edits=7)


@pytest.mark.parametrize(
    ("answer", "better"),
    [
        (Answer(Verdict.MOVED, moved_to=-1001), replace(DRAFT, chat=-1001, topic=None)),
        (Answer(Verdict.UNPARSED), replace(DRAFT, marked=False)),
        (Answer(Verdict.TOO_LONG), replace(DRAFT, limit=2048)),
        (Answer(Verdict.NO_TOPIC), replace(DRAFT, topic=None)),
        (Answer(Verdict.NO_MESSAGE), replace(DRAFT, edits=None)),
        (Answer(Verdict.REFUSED), replace(DRAFT, marked=False)),
        *((Answer(verdict), None) for verdict in (Verdict.DONE, Verdict.AGAIN, Verdict.DOUBT, Verdict.WAIT, Verdict.CHAT_OFF)),
    ],
)
def test_each_refusal_has_its_remedy(answer: Answer, better: Draft | None) -> None:
    assert mended(DRAFT, answer) == better


@pytest.mark.parametrize("verdict", list(Verdict))
def test_mending_ends(verdict: Verdict) -> None:
    draft: Draft | None = DRAFT
    for _ in range(5):
        draft = mended(draft, Answer(verdict, moved_to=-1001)) if draft is not None else None
    assert draft is None


def test_an_edit_that_is_refused_in_every_form_becomes_a_message() -> None:
    plain = mended(DRAFT, Answer(Verdict.REFUSED))
    assert plain is not None
    new = mended(plain, Answer(Verdict.REFUSED))
    assert new is not None
    assert new.edits is None


def test_what_is_cut_is_known() -> None:
    assert not Draft("short").cut
    assert Draft("x" * 9000).cut
    assert Draft("a").digest != Draft("b").digest
