"""Blocking calls in threads of their own, one at a time per name, so that a call that hangs costs only its own name.

The default executor is not used: a few hung calls would fill it, and then nothing in the whole daemon could look up a name or
read a file. A thread costs about 60 us, less than any call that is worth one.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from recovery.errors import StepFailed
from recovery.units import format_duration

T = TypeVar("T")


class Overdue(StepFailed):
    """The call was begun and has not come back in time; what became of it is not known."""


class LaneTaken(StepFailed):
    """The call was not begun."""


def in_thread(work: Callable[[], T], name: str) -> asyncio.Future[T]:
    """The result of `work()`, from a thread that never holds up the end of the process. Raises StepFailed when none is left."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    future.add_done_callback(_seen)

    def body() -> None:
        result: Any = None
        problem: Exception | None = None
        try:
            result = work()
        except Exception as error:  # noqa: BLE001  it belongs to whoever awaits the future
            problem = error
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(_tell, future, result, problem)

    try:
        threading.Thread(target=body, name=name, daemon=True).start()
    except RuntimeError as error:
        raise StepFailed(f"no thread is left: {error}") from error
    return future


class Lanes:
    """One call at a time per name. what: how all of them are called in words and in the names of threads, such as `docker`."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._lanes: dict[str, _Lane] = {}

    async def run(self, name: str, deadline: float, work: Callable[[], T]) -> T:
        """`work()` in a thread, as soon as the lane is free, all within `deadline` seconds.

        Raises what `work` raises; Overdue when it has begun and did not end in time; LaneTaken when it could not begin, at once
        when an earlier call hangs.
        """
        lane = self._lanes.setdefault(name, _Lane())
        begun = False
        lane.users += 1
        try:
            async with asyncio.timeout(deadline), lane.turn:
                await lane.free(f"an earlier call to {self._what} about {name} hangs")
                begun = True
                call = lane.call = in_thread(work, self._what)
                return await asyncio.shield(call)
        except TimeoutError as error:
            lane.hangs = lane.call is not None and not lane.call.done()
            if begun:
                raise Overdue(f"{self._what} gave no answer about {name} within {format_duration(deadline)}") from error
            raise LaneTaken(f"{self._what} is still busy with an earlier call about {name}") from error
        finally:
            lane.users -= 1
            if not lane.users and (lane.call is None or lane.call.done()):
                self._lanes.pop(name, None)


class _Lane:
    """call: the last one, which may outlive the one who asked for it. hangs: it has missed a deadline."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.call: asyncio.Future[Any] | None = None
        self.hangs = False
        self.users = 0

    async def free(self, why: str) -> None:
        """Wait for a call whose asker was cancelled; a call that hangs is not waited for."""
        if self.call is None or self.call.done():
            self.hangs = False
            return
        if self.hangs:
            raise LaneTaken(why)
        await asyncio.wait([self.call])


def _tell(future: asyncio.Future[T], result: T, problem: Exception | None) -> None:
    if future.done():
        return
    if problem is None:
        future.set_result(result)
    else:
        future.set_exception(problem)


def _seen(future: asyncio.Future[Any]) -> None:
    """What nobody waits for any more is no error of the loop."""
    if not future.cancelled():
        future.exception()
