"""How long to wait between tries against an outside service (SPEC 5, "Backoff"): 1, 2, 4, 8 ... s up to 300 s, each ±20 %.

The rule is ours; tenacity carries it out with the clock and the dice it is given.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt

from recovery.errors import StepFailed

LONGEST = 300.0
JITTER = 0.2

FAILURES = 6
"""After so many failures the next level takes over."""


def pause(failures: int, dice: Callable[[], float]) -> float:
    """Seconds to wait after that many failures in a row (1 or more). dice: a number in [0, 1)."""
    base = min(LONGEST, 2.0 ** min(failures - 1, 32))
    return base * (1 - JITTER + 2 * JITTER * dice())


def retrying(
    sleep: Callable[[float], Awaitable[None]],
    dice: Callable[[], float],
    *,
    failures: int = FAILURES,
    on: tuple[type[Exception], ...] = (StepFailed,),
) -> AsyncRetrying:
    """A policy that is called with the act: `await policy(act)`. The last failure, and errors not in `on`, come out as they are.

    sleep: of the clock, seconds. dice: a number in [0, 1).
    """

    def wait(state: RetryCallState) -> float:
        return pause(state.attempt_number, dice)

    return AsyncRetrying(
        sleep=sleep,
        wait=wait,
        stop=stop_after_attempt(failures),
        retry=retry_if_exception_type(on),
        reraise=True,
    )
