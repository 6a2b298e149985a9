"""The traps of pybreaker under asyncio, each as a film with hand-given time."""

import asyncio
import datetime

import pybreaker
import pytest

from botkit.breakers import Breaker, BreakerOpen, State
from watchdog.clock import Clock


class Hand:
    """Monotonic time by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Api:
    """An outside service that answers as it is told and counts who came through."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.calls = 0

    async def ask(self, word: str = "rows") -> str:
        self.calls += 1
        await Clock().sleep(0)
        if self.error:
            raise self.error
        return word


def state(breaker: Breaker) -> State:
    return breaker.reading.state


async def fail(breaker: Breaker, api: Api, times: int = 1) -> None:
    api.error = OSError("reset")
    for _ in range(times):
        with pytest.raises(OSError, match="reset"):
            await breaker.call(api.ask)
    api.error = None


async def test_five_errors_in_a_row_open_it_and_nothing_is_called_while_it_is_open() -> None:
    hand, api = Hand(), Api()
    breaker = Breaker("sheets", hand)
    await fail(breaker, api, 4)
    assert state(breaker) is State.CLOSED
    await fail(breaker, api)
    assert state(breaker) is State.OPEN
    with pytest.raises(BreakerOpen, match="sheets is not called: too many errors, next trial in 30 s"):
        await breaker.call(api.ask)
    assert api.calls == 5


async def test_a_success_between_errors_begins_the_row_anew() -> None:
    hand, api = Hand(), Api()
    breaker = Breaker("sheets", hand)
    for _ in range(4):
        await breaker.call(api.ask)
    await fail(breaker, api, 4)
    assert await breaker.call(api.ask, "a") == "a"
    assert breaker.reading.failures == 0
    assert state(breaker) is State.CLOSED


async def test_more_than_half_of_the_last_minute_opens_it_without_five_in_a_row() -> None:
    hand, api = Hand(), Api()
    breaker = Breaker("sheets", hand)
    await fail(breaker, api, 2)
    await breaker.call(api.ask)
    await breaker.call(api.ask)
    assert state(breaker) is State.CLOSED
    await fail(breaker, api)
    assert (breaker.reading.calls_60s, breaker.reading.errors_60s) == (5, 3)
    assert state(breaker) is State.OPEN


async def test_errors_older_than_a_minute_do_not_open_it() -> None:
    hand, api = Hand(), Api()
    breaker = Breaker("sheets", hand)
    await fail(breaker, api, 2)
    await breaker.call(api.ask)
    hand.now += 61
    await breaker.call(api.ask)
    await fail(breaker, api, 1)
    await breaker.call(api.ask)
    assert state(breaker) is State.CLOSED


async def test_after_thirty_seconds_exactly_one_of_fifty_callers_is_the_trial() -> None:
    hand, api = Hand(), Api()
    breaker = Breaker("sheets", hand)
    await fail(breaker, api, 5)
    hand.now += 29.9
    with pytest.raises(BreakerOpen):
        await breaker.call(api.ask)
    hand.now += 0.1
    assert state(breaker) is State.HALF_OPEN
    api.calls = 0
    answers = await asyncio.gather(*(breaker.call(api.ask) for _ in range(50)), return_exceptions=True)
    assert answers.count("rows") == 1
    assert sum(isinstance(answer, BreakerOpen) for answer in answers) == 49
    assert api.calls == 1


async def test_the_success_of_the_trial_closes_it_and_clears_the_counts() -> None:
    hand, api = Hand(), Api()
    breaker = Breaker("sheets", hand)
    await fail(breaker, api, 5)
    hand.now += 30
    await breaker.call(api.ask)
    assert breaker.reading == type(breaker.reading)(State.CLOSED, 0, 0, 0)
    await fail(breaker, api, 4)
    assert state(breaker) is State.CLOSED


async def test_the_failure_of_the_trial_opens_it_for_another_thirty_seconds() -> None:
    hand, api = Hand(), Api()
    breaker = Breaker("sheets", hand)
    await fail(breaker, api, 5)
    hand.now += 30
    await fail(breaker, api)
    hand.now += 29
    assert state(breaker) is State.OPEN
    hand.now += 1
    assert await breaker.call(api.ask) == "rows"


async def test_a_cancelled_trial_leaves_its_place_to_the_next_call() -> None:
    hand, api = Hand(), Api()
    breaker = Breaker("sheets", hand)
    await fail(breaker, api, 5)
    hand.now += 30
    trial = asyncio.ensure_future(breaker.call(asyncio.Event().wait))
    await Clock().sleep(0)
    trial.cancel()
    with pytest.raises(asyncio.CancelledError):
        await trial
    assert await breaker.call(api.ask) == "rows"


async def test_a_late_failure_of_an_old_call_says_nothing_about_the_trial() -> None:
    hand, api = Hand(), Api()
    breaker = Breaker("sheets", hand)
    old: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def waits() -> str:
        return await old

    slow = asyncio.ensure_future(breaker.call(waits))
    await Clock().sleep(0)
    await fail(breaker, api, 5)
    hand.now += 30
    assert await breaker.call(api.ask) == "rows"
    old.set_exception(OSError("late"))
    with pytest.raises(OSError, match="late"):
        await slow
    assert breaker.reading.failures == 0


async def test_the_wall_clock_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    hand, api = Hand(), Api()
    breaker = Breaker("sheets", hand)
    await fail(breaker, api, 5)

    class HoursBack(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> "HoursBack":
            return cls(1971, 1, 1, tzinfo=tz)

    monkeypatch.setattr(pybreaker, "datetime", HoursBack)
    hand.now += 30
    assert await breaker.call(api.ask) == "rows"


async def test_an_answer_that_is_no_failure_of_the_service_passes_through_and_counts_as_a_success() -> None:
    hand, api = Hand(), Api()
    breaker = Breaker("sheets", hand, ignore=(LookupError,))
    await fail(breaker, api, 4)
    api.error = LookupError("404")
    with pytest.raises(LookupError):
        await breaker.call(api.ask, fallback="other")
    assert breaker.reading.failures == 0


async def test_a_fallback_answers_for_an_error_and_for_an_open_breaker() -> None:
    hand, api = Hand(), Api()
    breaker = Breaker("sheets", hand)
    api.error = OSError("reset")
    assert await breaker.call(api.ask, fallback=None) is None

    def words(error: Exception) -> str:
        return type(error).__name__

    async def later(error: Exception) -> str:
        return "later"

    assert await breaker.call(api.ask, fallback=words) == "OSError"
    for _ in range(3):
        assert await breaker.call(api.ask, fallback=later) == "later"
    assert await breaker.call(api.ask, fallback=words) == "BreakerOpen"
    assert api.calls == 5


async def test_calling_counts_around_an_await() -> None:
    hand = Hand()
    breaker = Breaker("sheets", hand)
    for _ in range(5):
        with pytest.raises(TimeoutError), breaker.calling():
            async with asyncio.timeout(0):
                await asyncio.Event().wait()
    with pytest.raises(BreakerOpen), breaker.calling():
        pytest.fail("the block must not run")
