"""Circuit breakers that work under asyncio: pybreaker keeps the state, the rules of time are ours (SPEC 5, "Circuit breakers").

Open after 5 errors in a row, or when more than half of the calls of the last 60 s failed (at least 5 calls). After 30 s exactly
one trial call is let through: its success closes the breaker and clears the counts, its failure opens it for another 30 s.

    sheets = Breaker("google-sheets", clock.monotonic)
    rows = await sheets.call(read_rows, "A1:F90", fallback=[])

pybreaker cannot do this alone: it does not await a coroutine function (and counts its call as a success), it measures the 30 s by
the wall clock, it lets every waiting call through as a trial, and it knows no window. So an outcome is told to it afterwards,
and its own timer is never asked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

import pybreaker

from botkit.error_rate import Window, too_many_errors

T = TypeVar("T")

ERRORS_IN_A_ROW = 5

OPEN_FOR = 30.0
"""Seconds from opening to the trial call."""


class State(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class BreakerOpen(pybreaker.CircuitBreakerError):
    """The call was not made. retry_in: seconds until a trial may be made; 0 while another call is the trial."""

    def __init__(self, name: str, retry_in: float) -> None:
        when = f"next trial in {retry_in:.0f} s" if retry_in > 0 else "a trial call is under way"
        super().__init__(f"{name} is not called: too many errors, {when}")
        self.name = name
        self.retry_in = retry_in


@dataclass(frozen=True, slots=True)
class Reading:
    """What a breaker looks like now, in the words of /health (SPEC 2, `apis`). failures: errors in a row."""

    state: State
    failures: int
    calls_60s: int
    errors_60s: int


NO_FALLBACK: Any = object()
"""Says that no fallback was given; None is one."""


class Breaker:
    """One outside service. Used from one event loop.

    monotonic: seconds of a clock that nobody sets. ignore: exceptions that are an answer and no failure of the service (a 404).
    They pass through and count as a success. A cancelled call counts neither way; so a deadline belongs *inside* the call.
    """

    def __init__(self, name: str, monotonic: Callable[[], float], *, ignore: tuple[type[Exception], ...] = ()) -> None:
        self.name = name
        self._monotonic = monotonic
        self._machine = pybreaker.CircuitBreaker(
            fail_max=ERRORS_IN_A_ROW, exclude=list(ignore), name=name, throw_new_error_on_trip=False
        )
        self._window = Window()
        self._opened_at = 0.0
        self._trial = False
        self._era = 0  # grows with each change of state: a call that began before it has nothing more to say

    @property
    def reading(self) -> Reading:
        calls, errors = self._window.counts(self._monotonic())
        return Reading(self._state(), self._machine.fail_counter, calls, errors)

    async def call(self, function: Callable[..., Awaitable[T]], *args: Any, fallback: Any = NO_FALLBACK, **kwargs: Any) -> T:
        """Await `function(*args, **kwargs)`. Raises BreakerOpen when it may not be called, else what the function raises.

        fallback: the answer instead of BreakerOpen or a counted error: a value, or a callable (also async) of that exception.
        """
        try:
            with self.calling():
                return await function(*args, **kwargs)
        except Exception as error:
            if fallback is NO_FALLBACK or not (isinstance(error, BreakerOpen) or self._machine.is_system_error(error)):
                raise
            value: Any = fallback(error) if callable(fallback) else fallback
            return await value if isinstance(value, Awaitable) else value  # type: ignore[no-any-return]

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Around an await: counts its outcome. Raises BreakerOpen when the call may not be made."""
        era = self._admit()
        try:
            yield
        except Exception as error:
            self._report(era, error)
            raise
        except BaseException:
            self._withdraw(era)
            raise
        else:
            self._report(era, None)

    def _state(self) -> State:
        if self._machine.current_state == pybreaker.STATE_CLOSED:
            return State.CLOSED
        return State.OPEN if self._wait() > 0 else State.HALF_OPEN

    def _wait(self) -> float:
        """Seconds until a trial may be made."""
        return max(0.0, self._opened_at + OPEN_FOR - self._monotonic())

    def _admit(self) -> int:
        if self._machine.current_state != pybreaker.STATE_CLOSED:
            if self._trial or self._wait() > 0:
                raise BreakerOpen(self.name, self._wait())
            self._trial = True
            self._era += 1
            self._machine.half_open()
        return self._era

    def _withdraw(self, era: int) -> None:
        """The call was cancelled. A cancelled trial leaves its place to the next call."""
        if era == self._era:
            self._trial = False

    def _report(self, era: int, error: Exception | None) -> None:
        if era != self._era:
            return
        was = self._machine.current_state
        failed = error is not None and self._machine.is_system_error(error)
        self._window.add(self._monotonic(), error=failed)
        self._tell(error)
        if was == pybreaker.STATE_CLOSED and too_many_errors(*self._window.counts(self._monotonic())):
            self._machine.open()
        if self._machine.current_state != was:
            self._changed()

    def _tell(self, error: Exception | None) -> None:
        """Hand a finished outcome to pybreaker as a call of no length; it raises the same error again."""

        def outcome() -> None:
            if error is not None:
                raise error

        traceback = error.__traceback__ if error is not None else None
        try:
            self._machine.call(outcome)
        except Exception as told:
            if told is not error:
                raise
            error.__traceback__ = traceback

    def _changed(self) -> None:
        self._trial = False
        self._era += 1
        if self._machine.current_state == pybreaker.STATE_CLOSED:
            self._window.clear()
        else:
            self._opened_at = self._monotonic()
