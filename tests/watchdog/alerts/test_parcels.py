"""What goes out next: order, merging, edits, summaries."""

from __future__ import annotations

from watchdog.alerts.parcels import EDITS_APART, OUTAGE, Parcel, Shown, Waiting, choose, newest
from watchdog.model.incident import Tier
from watchdog.model.letter import Letter
from watchdog.model.records import Notice, NoticeKind

NEW, EDIT, CLOSE = NoticeKind.NEW, NoticeKind.EDIT, NoticeKind.CLOSE
SOFT, CRITICAL = Tier.SOFT, Tier.CRITICAL


def each(
    number: int, incident: int | None, tier: Tier = SOFT, kind: NoticeKind = NEW, at: float = 0.0, *, muted: bool = False
) -> Waiting:
    return Waiting(
        Letter(number, "telegram:1", incident, muted=muted), Notice(number, incident, "bot", tier, kind, at, f"text {number}")
    )


def chosen(*waiting: Waiting, shown: dict[int, Shown] | None = None, now: float = 1.0) -> Parcel:
    found = choose(waiting, shown or {}, now)
    assert found is not None
    return found


def covered(parcel: Parcel) -> list[int]:
    return [one.notice.id for one in parcel.covers]


def test_nothing_waits() -> None:
    assert choose([], {}, 1.0) is None


def test_what_is_critical_overtakes_and_inside_a_tier_the_order_is_kept() -> None:
    assert covered(chosen(each(1, 1), each(2, 2, CRITICAL), each(3, 3, CRITICAL))) == [2]
    assert covered(chosen(each(4, 4), each(1, 1))) == [1]


def test_of_one_incident_the_newest_word_stands_for_all() -> None:
    parcel = chosen(each(1, 1), each(2, 1, SOFT, EDIT), each(3, 1, CRITICAL))
    assert (covered(parcel), parcel.last.id, parcel.quiet) == ([1, 2, 3], 3, False)


def test_an_edit_changes_the_message_that_is_there_not_too_often() -> None:
    parcel = chosen(each(2, 1, SOFT, EDIT), shown={1: Shown(40, at=100.0)})
    assert (parcel.edits, parcel.due_at, parcel.quiet) == (40, 100.0 + EDITS_APART, True)


def test_a_rise_is_a_new_message_that_replies() -> None:
    parcel = chosen(each(2, 1, CRITICAL), shown={1: Shown(40)})
    assert (parcel.edits, parcel.answers, parcel.quiet) == (None, 40, False)


def test_a_close_edits_what_was_announced_at_once_and_replies_to_what_was_critical() -> None:
    critical = chosen(each(2, 1, CRITICAL, CLOSE), shown={1: Shown(40, at=100.0)})
    soft = chosen(each(2, 1, SOFT, CLOSE), shown={1: Shown(40)})
    assert (critical.edits, critical.reply, critical.due_at) == (40, True, 0.0)
    assert (soft.edits, soft.reply) == (40, False)


def test_what_was_over_before_it_could_be_told_is_one_silent_message() -> None:
    parcel = chosen(each(1, 1, CRITICAL), each(2, 1, CRITICAL, CLOSE))
    assert (covered(parcel), parcel.edits, parcel.quiet, parcel.loud) == ([1, 2], None, True, False)


def test_a_relapse_after_an_untold_close_is_news() -> None:
    parcel = chosen(each(1, 1, CRITICAL), each(2, 1, CRITICAL, CLOSE), each(3, 1, CRITICAL), shown={1: Shown(40)})
    assert (parcel.last.id, parcel.edits, parcel.answers, parcel.quiet) == (3, None, 40, False)


def test_what_somebody_has_seen_makes_no_sound() -> None:
    assert chosen(each(1, 1, CRITICAL, muted=True)).quiet


def test_after_an_outage_the_rest_is_one_summary_behind_what_is_still_critical() -> None:
    waiting = [each(1, 1), each(2, 2, CRITICAL), each(3, 2, CRITICAL, CLOSE), each(4, 3), each(5, 4, CRITICAL)]
    assert covered(chosen(*waiting, now=OUTAGE + 1)) == [5]
    summary = chosen(*waiting[:-1], now=OUTAGE + 1)
    assert (covered(summary), summary.summary, summary.quiet) == ([1, 2, 3, 4], True, True)
    assert [notice.id for notice in newest(summary.covers)] == [1, 3, 4]
    assert not chosen(*waiting[:-1], now=OUTAGE - 1).summary, "a minute without Telegram is no outage"


def test_edits_are_no_part_of_a_summary() -> None:
    waiting = [each(1, 1, SOFT, CLOSE), *(each(number, number) for number in range(2, 6))]
    parcel = chosen(*waiting, shown={1: Shown(40)}, now=OUTAGE + 1)
    assert covered(parcel) == [2, 3, 4, 5]


def test_a_crowd_is_a_summary_at_once() -> None:
    assert chosen(*(each(number, number) for number in range(1, 13))).summary


def test_what_is_about_no_incident_stands_for_itself() -> None:
    assert covered(chosen(each(1, None), each(2, None))) == [1]


def test_a_report_is_a_message_of_its_own_also_after_an_outage() -> None:
    digest = each(4, None, SOFT, NoticeKind.REPORT)
    waiting = (each(1, 1), each(2, 2), each(3, 3), digest)
    late = chosen(*waiting, now=OUTAGE + 1.0)
    assert (covered(late), late.summary) == ([1, 2, 3], True)
    alone = chosen(digest, now=OUTAGE + 1.0)
    assert (covered(alone), alone.summary, alone.quiet) == ([4], False, True)
