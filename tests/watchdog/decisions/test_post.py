"""Delivery: critical first, then in order; what was not delivered is tried again and survives the daemon."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from tests.builders import Mailbox
from tests.fakes.ledger import Ledger
from tests.fakes.records import notice
from tests.fakes.runtime import FakeClock, play
from watchdog.decisions.post import TRY_AGAIN, Post
from watchdog.model.incident import Tier
from watchdog.model.records import Notice


def test_critical_goes_first_and_the_others_in_the_order_in_which_they_were_due() -> None:
    async def film() -> None:
        clock, mail, ledger = FakeClock(), Mailbox(), Ledger()
        post = Post(mail, clock)
        post.take_all([notice(3, tier=Tier.SOFT), notice(4, tier=Tier.CRITICAL), notice(1, tier=Tier.SILENT)])
        post.take_all([notice(2, tier=Tier.CRITICAL), replace(notice(5), delivered_at=1.0)])
        await delivering(post, ledger, clock, 1.0)
        assert [each.id for each in mail.got] == [2, 4, 3, 1]
        assert all(row.delivered_at == clock.now() - 1.0 for row in ledger.all(Notice))

    play(film())


def test_what_cannot_be_delivered_is_tried_again_and_is_done_only_after_delivery() -> None:
    async def film() -> None:
        clock, mail, ledger = FakeClock(), Mailbox(), Ledger()
        post = Post(mail, clock)
        mail.open = False
        post.take(notice(1))
        await delivering(post, ledger, clock, 2.5 * TRY_AGAIN)
        assert (len(mail.tried), mail.got, ledger.all(Notice)) == (3, [], [])
        mail.open = True
        await delivering(post, ledger, clock, TRY_AGAIN)
        assert [each.id for each in mail.got] == [1]
        await delivering(post, ledger, clock, 600.0)
        assert len(mail.tried) == 4

    play(film())


def test_a_critical_one_overtakes_a_soft_one_that_is_being_tried_again() -> None:
    async def film() -> None:
        clock, mail, ledger = FakeClock(), Mailbox(), Ledger()
        post = Post(mail, clock)
        mail.open = False
        post.take(notice(1, tier=Tier.SOFT))
        await delivering(post, ledger, clock, 1.0)
        post.take(notice(2, tier=Tier.CRITICAL))
        mail.open = True
        await delivering(post, ledger, clock, 1.0)
        assert [each.id for each in mail.got] == [2, 1]

    play(film())


async def delivering(post: Post, ledger: Ledger, clock: FakeClock, seconds: float) -> None:
    """The loop lives for so long."""
    task = asyncio.create_task(post.deliver(ledger))
    await clock.sleep(seconds)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
