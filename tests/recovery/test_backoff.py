import pytest
from hypothesis import given
from hypothesis import strategies as st

from recovery.backoff import pause, retrying
from recovery.errors import StepFailed, StepImpossible


def middle() -> float:
    return 0.5


class Sleeper:
    def __init__(self) -> None:
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


class Act:
    """Fails as often as told, then answers."""

    def __init__(self, failures: int, error: Exception | None = None) -> None:
        self.left = failures
        self.error = error or StepFailed("refused")
        self.tries = 0

    async def __call__(self) -> str:
        self.tries += 1
        if self.left:
            self.left -= 1
            raise self.error
        return "done"


def test_the_pauses_double_up_to_five_minutes() -> None:
    pauses = [pause(n, middle) for n in range(1, 12)]
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]


@given(st.integers(1, 10_000), st.floats(0, 1, exclude_max=True))
def test_the_jitter_stays_within_a_fifth(failures: int, throw: float) -> None:
    usual = pause(failures, middle)
    assert usual * 0.8 <= pause(failures, lambda: throw) <= usual * 1.2


async def test_it_tries_again_with_the_clock_it_is_given() -> None:
    sleeper, act = Sleeper(), Act(3)
    assert await retrying(sleeper.sleep, middle)(act) == "done"
    assert sleeper.slept == [1, 2, 4]


async def test_after_six_failures_the_next_level_takes_over() -> None:
    sleeper, act = Sleeper(), Act(99)
    with pytest.raises(StepFailed, match="refused"):
        await retrying(sleeper.sleep, middle)(act)
    assert act.tries == 6
    assert sleeper.slept == [1, 2, 4, 8, 16]


async def test_what_no_retry_cures_is_not_tried_again() -> None:
    sleeper, act = Sleeper(), Act(99, StepImpossible("no such file"))
    with pytest.raises(StepImpossible):
        await retrying(sleeper.sleep, middle)(act)
    assert act.tries == 1
