"""`cpu_spin`: much CPU and nothing to show for it (SPEC 4).

There are two ways to know that nothing comes of it:

- it answers, and its `progress` has not moved for as long as CPU is above `thresholds.cpu` (5 minutes by default), nor has its
  queue become shorter;
- it does not answer (`unresponsive`), and CPU was above the threshold over its failing checks, for a minute at least.

A bot that tells no progress is never called spinning by the first way: full CPU alone may be honest work (a video, a model), and
to kill work is worse than to let a spin be. Nor does a queue alone count as progress: it may stand still because as much comes
in as is done. Such a bot is found by the second way, once it does not answer any more.
"""

from __future__ import annotations

from recovery.units import format_duration
from watchdog.config.schema import Service
from watchdog.config.service import Spinning
from watchdog.model.symptom import Symptom
from watchdog.state.history import History, muted
from watchdog.symptoms import unresponsive

SILENT = 60.0
"""Seconds of failing checks with CPU above the threshold; less only where `thresholds.cpu.for` is."""

SLACK = 30.0
"""Seconds by which the begin of a stretch of CPU may be seen late: a calm bot is measured no more often."""


def detect(history: History, service: Service, now: float) -> Symptom | None:
    """Startup grace mutes it: what is starting makes no progress and may well compute. It is measured to the newest reading."""
    limit = service.thresholds.cpu
    if limit is None or history.life.load.cpu_since is None or muted(history, now):
        return None
    return _without_progress(history, limit) or _without_answer(history, service, limit, now)


def _without_progress(history: History, limit: Spinning) -> Symptom | None:
    load = history.life.load
    since, still = load.cpu_since, _still(history)
    if since is None or still is None or load.at - since < limit.for_ or still < limit.for_:
        return None
    text = f"{_cpu(history)} for {format_duration(load.at - since)} without progress"
    return Symptom("cpu_spin", since, text)


def _still(history: History) -> float | None:
    """Seconds, seen in answers, for which nothing was done; None when it does not tell. Silence is no answer."""
    counter, load, last = history.pace.counter, history.life.load, history.last
    flat = counter.at - load.flat_since if counter is not None and load.flat_since is not None else None
    age = last.report.progress_age_s if last is not None and last.report is not None else None
    if counter is not None and flat is None:
        return None
    told = [each for each in (flat, age) if each is not None]
    return min(told) if told else None


def _without_answer(history: History, service: Service, limit: Spinning, now: float) -> Symptom | None:
    silent, load = unresponsive.detect(history, service, now), history.life.load
    if silent is None or load.cpu_since is None or load.cpu_since > silent.since + SLACK:
        return None
    since = max(load.cpu_since, silent.since)
    if load.at - since < min(SILENT, limit.for_):
        return None
    return Symptom("cpu_spin", silent.since, f"{_cpu(history)}, and {silent.text}", heard=True)


def _cpu(history: History) -> str:
    return f"CPU {history.life.load.cpu or 0.0:.0f} % of one core"
