"""The store of the daemon: records are put, a commit makes them durable, and nothing else ever writes the file.

One thread writes. Commits queue, and all that wait share the next transaction. `inline` writes on the caller's own thread
instead, for a loop with virtual time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from watchdog.errors import StoreUnavailable
from watchdog.state.store.buffer import LIMIT, Buffer
from watchdog.state.store.connection import begin, connect, memory
from watchdog.state.store.pen import Connect, Pen, Renew, Renewal
from watchdog.state.store.reader import Reader
from watchdog.state.store.reserve import Reserve
from watchdog.state.store.retention import BATCH, RULES
from watchdog.state.store.rows import Record
from watchdog.state.store.text import Redact, plain

T = TypeVar("T")


class SqliteStore:
    """See `decisions/ports.Store`. Used from one event loop; close it in a `finally`.

    healthy: the last try to write succeeded. trouble: one line about the last failure, "" while healthy.
    """

    def __init__(
        self,
        connect: Connect,
        *,
        path: Path | None = None,
        redact: Redact = plain,
        reserve: Reserve | None = None,
        renew: Renew | None = None,
        inline: bool = False,
        limit: int = LIMIT,
        trouble: str = "",
    ) -> None:
        self._path = path
        self._pen = Pen(connect, path, redact, reserve, renew)
        self._buffer = Buffer(limit)
        self._pool = None if inline else ThreadPoolExecutor(1, thread_name_prefix="store")
        self._turn = asyncio.Lock()
        self._next: asyncio.Task[None] | None = None
        self._flight: asyncio.Task[None] | None = None
        self._closed = False
        self._trouble = trouble

    @classmethod
    def open(cls, path: str | Path, *, inline: bool = False, redact: Redact = plain) -> SqliteStore:
        """A store at `path` (made if missing) without the judgement and reserve of `open_store`; ":memory:" lives in memory."""
        if str(path) == ":memory:":
            conn = memory()
            return cls(lambda: conn, inline=inline, redact=redact)
        file = Path(path)
        if not file.exists():
            begin(file)
        return cls(lambda: connect(file), path=file, inline=inline, redact=redact)

    @property
    def healthy(self) -> bool:
        return not self._trouble

    @property
    def trouble(self) -> str:
        return self._trouble

    @property
    def dropped(self) -> int:
        """Records given up because the store could not be written for too long."""
        return self._buffer.dropped

    @property
    def renewal(self) -> Renewal | None:
        """Set once the file had to be put aside while running; what was open must be put again."""
        return self._pen.renewal

    @property
    def lost(self) -> str:
        """About the renewal, for people; "" without one."""
        renewal = self.renewal
        if renewal is None:
            return ""
        return f"{renewal.why}; the old file lies at {renewal.set_aside}" if renewal.set_aside else renewal.why

    def put(self, record: Record) -> None:
        """Buffered, in order, for the next commit."""
        self._buffer.put(record)

    async def commit(self) -> None:
        """Everything put before this call is durable when it returns. Raises StoreUnavailable; what was put is then kept."""
        if self._closed:
            raise StoreUnavailable("the store is closed")
        if self._pool is None:
            self._settle(self._pen.write)
        elif len(self._buffer) or self._next is not None:
            await asyncio.shield(self._round_to_come())
        elif self._flight is not None:
            await asyncio.shield(self._flight)

    async def prune(self, now: float, keep: float) -> int:
        """Forget what is older than `keep` seconds, in small batches between which commits go on. Rows removed."""
        removed = 0
        for rule in RULES:
            found = BATCH
            while found >= BATCH:
                found = await self._on_writer(lambda rule=rule: self._pen.prune(rule, now - keep))  # type: ignore[misc]
                removed += found
        return removed

    def reader(self) -> Reader:
        """A reader of this store; of one in memory only when it is inline, since its connection is shared."""
        if self._path is None:
            return Reader(self._pen.connection(), shared=True)
        return Reader.open(self._path)

    async def close(self) -> None:
        """Write what is left, end the thread. Never raises."""
        if self._closed:
            return
        try:
            await self.commit()
        except StoreUnavailable:
            pass  # it is in `trouble`, and nobody is left to wait for it
        self._closed = True
        await self._on_writer(self._pen.close)
        if self._pool is not None:
            self._pool.shutdown(wait=False)

    def _round_to_come(self) -> asyncio.Task[None]:
        """The transaction that has not begun yet: every commit that comes before it begins waits for the same one."""
        if self._next is None:
            self._next = asyncio.get_running_loop().create_task(self._round())
            self._next.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._next

    async def _round(self) -> None:
        async with self._turn:
            self._flight, self._next = self._next, None
            batch = self._buffer.take()
            try:
                complaints = await self._on_writer(lambda: self._pen.write(batch))
            except StoreUnavailable as error:
                self._buffer.give_back(batch)
                self._trouble = str(error)
                raise
            finally:
                self._flight = None
            self._judge(complaints)

    def _settle(self, write: Callable[[list[Record]], tuple[str, ...]]) -> None:
        batch = self._buffer.take()
        if not batch:
            return
        try:
            complaints = write(batch)
        except StoreUnavailable as error:
            self._buffer.give_back(batch)
            self._trouble = str(error)
            raise
        self._judge(complaints)

    def _judge(self, complaints: tuple[str, ...]) -> None:
        """A record that can never be saved is told to whoever waits for it, for no act may follow an unwritten intent."""
        self._trouble = f"could not be saved: {'; '.join(complaints)}" if complaints else ""
        if complaints:
            raise StoreUnavailable(self._trouble)

    async def _on_writer(self, act: Callable[[], T]) -> T:
        if self._pool is None:
            return act()
        return await asyncio.get_running_loop().run_in_executor(self._pool, act)
