"""A small daemon that only journals, to be killed or starved: python -m tests.fakes.store_child DIR ACKS ROUNDS [RESERVE]

Each round is an incident with one run: opened, intent, outcome, each in a commit of its own. After each commit that returned a
line goes to ACKS, with one write and nothing buffered; after each that did not, a line `lost: WHY`. It never stops by itself
because of the store.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from tests.fakes.records import T, ended, incident, run
from watchdog.errors import StoreUnavailable
from watchdog.model.records import Meta
from watchdog.state.store.open import open_store
from watchdog.state.store.rows import Record


async def journal(folder: Path, acks: int, rounds: int, reserve: int) -> None:
    opened = open_store(folder, now=lambda: T, reserve_size=reserve)
    os.write(acks, f"opened fresh={opened.fresh} aside={opened.set_aside} why={opened.why}\n".encode())

    async def commit(line: str, *records: Record) -> None:
        for record in records:
            opened.store.put(record)
        try:
            await opened.store.commit()
        except StoreUnavailable as error:
            os.write(acks, f"lost: {error}\n".encode())
        else:
            os.write(acks, f"{line}\n".encode())

    first = opened.loaded.next_incident
    try:
        for number in range(first, first + rounds):
            at = T + number * 5000
            await commit(f"incident {number}", incident(number, at=at))
            await commit(f"intent {number}", run(number, at=at + 90, of=number))
            await commit(f"outcome {number}", ended(number, at=at + 90, of=number), Meta("round", str(number)))
    finally:
        await opened.store.close()
    os.write(acks, f"closed healthy={opened.store.healthy}\n".encode())


if __name__ == "__main__":
    where, lines, count = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    descriptor = os.open(lines, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    asyncio.run(journal(where, descriptor, count, int(sys.argv[4]) if len(sys.argv) > 4 else 64 * 1024))
