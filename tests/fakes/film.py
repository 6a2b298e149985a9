"""A film of one service: feed answers, exits and starts at its interval, look at the history and its symptoms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from watchdog.config.schema import Probe, Process, Runtime, Service
from watchdog.model.observation import ErrorCount, Kind, Observation, Report
from watchdog.model.symptom import Symptom
from watchdog.state.history import History, begin, ended, fold, started
from watchdog.state.load import Reading, measured
from watchdog.symptoms.diagnose import diagnose

RUNTIME = Runtime(process=Process(start=("/srv/bot/run", "--now")))


def bot(name: str = "bot", **settings: Any) -> Service:
    """A service with a plain process and a /health of its own."""
    settings.setdefault("probe", Probe(http=f"http://127.0.0.1:8101/{name}"))
    settings.setdefault("runtime", RUNTIME)
    return Service(name=name, **settings)


def answer(at: float, kind: Kind = Kind.OK, detail: str = "", **more: Any) -> Observation:
    """An answer; reason, errors, queue and progress go into its report."""
    told = {key: more.pop(key) for key in ("reason", "errors", "queue", "progress", "progress_age_s") if key in more}
    return Observation(at=at, kind=kind, detail=detail, report=Report(**told) if told else None, **more)


def error(kind: str, **more: Any) -> ErrorCount:
    return ErrorCount(kind, **more)


class Film:
    """at: the wall clock of the film, seconds; each check is one interval after the one before."""

    def __init__(self, service: Service | None = None, at: float = 1_000_000.0) -> None:
        self.service = service or bot()
        self.at = at
        self.history: History = begin(self.service.name, at)
        self.cpu: float | None = None
        self.memory = 40_000_000
        self._seconds = 0.0
        self._reading: Reading | None = None

    def wait(self, seconds: float) -> Film:
        self.at += seconds
        return self

    def see(self, kind: Kind, times: int = 1, *, counts: bool = True, **more: Any) -> Film:
        for _ in range(times):
            self._pass(self.service.interval)
            self.history = fold(self.history, answer(self.at, kind, **more), self.service, counts=counts)
        return self

    def uses(self, cpu: float, memory: int = 40_000_000) -> Film:
        """From now on it is measured, each 10 s: percent of one core, bytes."""
        self.cpu, self.memory = cpu, memory
        return self.measure()

    def _pass(self, seconds: float) -> None:
        end = self.at + seconds
        while self.cpu is not None and self.at + 10 <= end:
            self.at += 10
            self._seconds += self.cpu / 100 * 10
            self.measure()
        self.at = end

    def measure(self) -> Film:
        """One reading."""
        history, reading = self.history, Reading(self.at, self.at, self._seconds, self.memory)
        after = measured(history.life.load, self._reading, reading, self.service.thresholds, history.pace)
        self._reading = reading
        self.history = replace(history, life=replace(history.life, load=after))
        return self

    def ok(self, times: int = 1, **more: Any) -> Film:
        return self.see(Kind.OK, times, latency=more.pop("latency", 0.01), **more)

    def fails(self, times: int = 1, detail: str = "timeout", **more: Any) -> Film:
        return self.see(Kind.NO_ANSWER, times, detail=detail, **more)

    def critical(self, times: int = 1, **more: Any) -> Film:
        return self.see(Kind.CRITICAL, times, **more)

    def degraded(self, times: int = 1, **more: Any) -> Film:
        return self.see(Kind.DEGRADED, times, **more)

    def starts(self, instance: str = "1:1:boot") -> Film:
        self.history = started(self.history, self.at, instance, self.service.startup_grace)
        self._reading = None  # of a new instance there is no reading before the first
        return self

    def exits(self, code: int | None = 1, *, ours: bool = False, patience: float = 0.0) -> Film:
        self.history = ended(self.history, self.at, code, ours, patience)
        return self

    def symptoms(self) -> tuple[Symptom, ...]:
        return diagnose(self.history, self.service, self.at)

    def names(self) -> tuple[str, ...]:
        return tuple(symptom.name for symptom in self.symptoms())
