"""One circuit breaker for each outside service that the watchdog itself calls (SPEC 5, "Circuit breakers")."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from botkit.breakers import Breaker, BreakerOpen, Reading
from recovery.errors import StepFailed, StepImpossible

T = TypeVar("T")


class Breakers:
    """Breakers by name, made when first used. StepImpossible is an answer of the service and counts as a success.

    monotonic: seconds of a clock that nobody sets.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._by_name: dict[str, Breaker] = {}

    def of(self, name: str) -> Breaker:
        if name not in self._by_name:
            self._by_name[name] = Breaker(name, self._monotonic, ignore=(StepImpossible,))
        return self._by_name[name]

    async def call(self, name: str, act: Callable[[], Awaitable[T]]) -> T:
        """Await `act()`, its deadline inside. Raises StepFailed when the breaker is open, else what `act` raises."""
        try:
            return await self.of(name).call(act)
        except BreakerOpen as refused:
            raise StepFailed(str(refused)) from refused

    def readings(self) -> dict[str, Reading]:
        return {name: breaker.reading for name, breaker in self._by_name.items()}
