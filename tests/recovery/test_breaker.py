import pytest

from botkit.breakers import State
from recovery.breaker import Breakers
from recovery.errors import StepFailed, StepImpossible


async def refused() -> str:
    raise StepFailed("connection refused")


async def no_such_page() -> str:
    raise StepImpossible("HTTP 404")


async def fine() -> str:
    return "HTTP 200"


async def test_an_open_breaker_is_a_failed_step_in_words() -> None:
    breakers = Breakers(lambda: 50.0)
    for _ in range(5):
        with pytest.raises(StepFailed, match="connection refused"):
            await breakers.call("telegram", refused)
    with pytest.raises(StepFailed, match="telegram is not called"):
        await breakers.call("telegram", fine)
    assert breakers.readings()["telegram"].state is State.OPEN


async def test_each_name_has_a_breaker_of_its_own() -> None:
    breakers = Breakers(lambda: 50.0)
    for _ in range(5):
        with pytest.raises(StepFailed):
            await breakers.call("telegram", refused)
    assert await breakers.call("vault", fine) == "HTTP 200"


async def test_an_answer_that_no_retry_cures_does_not_open_it() -> None:
    breakers = Breakers(lambda: 50.0)
    for _ in range(9):
        with pytest.raises(StepImpossible):
            await breakers.call("vault", no_such_page)
    assert await breakers.call("vault", fine) == "HTTP 200"
