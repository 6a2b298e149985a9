"""The daemon's core with a store that kills its own process: `kill -9` at an exact point between two rows of a run.

Arguments: CONFIG before|after NUMBER. The NUMBERth write of the journal of a run (bring-ups aside) is where it dies.
"""

import asyncio
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from recovery.model import Run
from recovery.registry import discover
from watchdog.app import build
from watchdog.clock import Clock
from watchdog.daemon import load_everything
from watchdog.decisions.ports import Record, Store
from watchdog.errors import Refused
from watchdog.hands import World, real
from watchdog.lock import InstanceLock
from watchdog.state.store.open import open_store


class MortalStore:
    """Writes as the real one does, until its hour has come."""

    def __init__(self, store: Store, moment: str, number: int) -> None:
        self._store, self._moment, self._left = store, moment, number
        self._journal = False

    @property
    def lost(self) -> str:
        return self._store.lost

    def put(self, record: Record) -> None:
        self._journal = self._journal or (isinstance(record, Run) and record.playbook != "bring-up")
        self._store.put(record)

    async def commit(self) -> None:
        counts, self._journal = self._journal, False
        self._left -= counts
        hour = counts and self._left == 0
        if hour and self._moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        await self._store.commit()
        if hour:
            os.kill(os.getpid(), signal.SIGKILL)


async def reload() -> dict[str, object]:
    raise Refused("not in this life")


async def main(path: Path, moment: str, number: int) -> None:
    clock, registry = Clock(), discover()
    loaded, books, _ = load_everything(path, registry)
    settings = loaded.settings
    settings.state.dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with InstanceLock(settings.state.dir, os.getpid()):
        opened = open_store(settings.state.dir, now=clock.now)
        hands = real(World(settings, clock), opened, clock, reload, lambda _mono: None, lambda: None)
        await build(settings, books, replace(hands, store=MortalStore(opened.store, moment, number)), registry).run()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
