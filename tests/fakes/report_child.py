"""A small daemon that only makes its digest, to be killed: python -m tests.fakes.report_child DIR NOW

One life: what the store remembers is taken up, one look at `NOW` (wall seconds) and one a minute later.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, time
from pathlib import Path

from watchdog.clock import Clock
from watchdog.model.incident import Tier
from watchdog.model.records import Notice, NoticeKind
from watchdog.scheduler.loop import KEYS, Occasion, Scheduler
from watchdog.scheduler.periods import Kind, Rule
from watchdog.state.store.open import open_store


async def live(folder: Path, now: float) -> None:
    opened = open_store(folder, now=lambda: now, reserve_size=4096)
    number = opened.loaded.next_notice

    async def digest(occasion: Occasion) -> str:
        return f"digest {occasion.due.key}"

    def say(name: str, text: str, at: float) -> None:
        opened.store.put(Notice(number, None, name, Tier.SOFT, NoticeKind.REPORT, at, text))

    rules = (Rule(Kind.DIGEST, time(8, 30)),)
    scheduler = Scheduler({Kind.DIGEST: digest}, lambda: rules, lambda: UTC, opened.store, say, lambda *_: None, Clock())
    try:
        scheduler.remember(opened.loaded.meta.get(KEYS), now)
        await scheduler.tick(now)
        await scheduler.tick(now + 60)
    finally:
        await opened.store.close()


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), float(sys.argv[2])))
