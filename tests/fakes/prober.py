"""A prober of films: each service says what the film tells it to say."""

from __future__ import annotations

from tests.fakes.runtime import FakeRuntime
from watchdog.clock import Clock
from watchdog.config.schema import Service
from watchdog.model.observation import Kind, Observation, Report

OK, HANG, REFUSE = "ok", "hang", "refuse"


class FakeProber:
    """`decisions/ports.Prober`. says: `ok`, `hang`, `refuse`, or an Observation whose moment is set when it is given.

    asked and answered: (name, loop time) of each question and its answer.
    """

    def __init__(self, clock: Clock, runtimes: dict[str, FakeRuntime]) -> None:
        self._clock, self._runtimes = clock, runtimes
        self.says: dict[str, str | Observation] = {}
        self.asked: list[tuple[str, float]] = []
        self.answered: list[tuple[str, float]] = []

    async def ask(self, service: Service) -> Observation:
        self.asked.append((service.name, self._clock.monotonic()))
        kind, detail, latency, report, code = await self._answer(service)
        self.answered.append((service.name, self._clock.monotonic()))
        return Observation(self._clock.now(), kind, detail, latency, code, report=report)

    async def _answer(self, service: Service) -> tuple[Kind, str, float | None, Report | None, int | None]:
        runtime = self._runtimes.get(service.name)
        word = self.says.get(service.name, OK)
        if runtime is not None and not runtime.sight.running:
            word = REFUSE
        if isinstance(word, Observation):
            return word.kind, word.detail, word.latency, word.report, word.code
        if word == HANG:
            await self._clock.sleep(service.deadline)
            return Kind.NO_ANSWER, "timeout", None, None, None
        if word == REFUSE:
            return Kind.NO_ANSWER, "refused", None, None, None
        return Kind.OK, "", 0.003, None, 200

    def times(self, name: str) -> list[float]:
        """When it was asked."""
        return [at for who, at in self.asked if who == name]
