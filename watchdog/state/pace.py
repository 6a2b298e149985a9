"""What is usual for a service (latency, progress, queue), and since when it is far from it (SPEC 4, `slow`)."""

from __future__ import annotations

from enum import StrEnum
from math import exp
from typing import NamedTuple

from watchdog.model.observation import Observation, Report

LEARNT = 20
"""Answers before a latency is called usual; until then the plain mean is kept."""

WEIGHT = 0.02
"""Of one answer in the usual latency: about the last 50 answers count."""

TIMES = 10
"""So many times slower than usual is slow (SPEC 4)."""

FLOOR = 1.0
"""Seconds: an answer within them is never slow (SPEC 4)."""

RECENT = 300.0
"""Seconds over which the present progress rate is taken."""

USUAL = 86400.0
"""Seconds over which the usual progress rate is taken."""

KNOWN = 3600.0
"""Seconds of progress before its rate is called usual."""

GREW = 900.0
"""Seconds of growth that make a queue a sign (SPEC 4)."""

PLATEAU = 300.0
"""Seconds without growth after which a queue is no longer growing."""


class Cause(StrEnum):
    LATENCY = "latency"
    PROGRESS = "progress"
    QUEUE = "queue"


class Usual(NamedTuple):
    """The usual latency in seconds, learnt from `answers` answers (no more than LEARNT are counted)."""

    latency: float
    answers: int


NOTHING = Usual(0.0, 0)
"""No answer yet."""


class Slow(NamedTuple):
    """since: wall seconds from which it is far from its usual. now, usual: seconds, progress per second, or queue length.

    begun: wall seconds at which the queue began to grow.
    """

    since: float
    cause: Cause
    now: float
    usual: float
    begun: float = 0.0


class Counter(NamedTuple):
    """The progress counter at wall seconds `at`. Rates per second, over minutes and over a day; the latter from `learnt` s."""

    at: float
    value: float
    recent: float = 0.0
    usual: float = 0.0
    learnt: float = 0.0
    counting: bool = True


class Queue(NamedTuple):
    """Its length; `low` when it began to grow at `low_at`; it last grew at `high_at`."""

    length: float
    low: float
    low_at: float
    high_at: float


class Pace(NamedTuple):
    """What /health tells of work done and work waiting; None while it tells nothing."""

    counter: Counter | None = None
    queue: Queue | None = None


STILL = Pace()
"""Nothing known."""


def learn(usual: Usual, latency: float) -> Usual:
    """The usual latency after one more answer. One slow answer moves it little, a lasting change within hours."""
    known, answers = usual
    if answers < LEARNT:
        return Usual(known + (latency - known) / (answers + 1), answers + 1)
    return Usual(known + (min(latency, 2 * known + 0.001) - known) * WEIGHT, answers)


def follow(pace: Pace, report: Report, at: float) -> Pace:
    """The pace after one answer that tells progress or queue."""
    counter, queue = pace
    if report.progress is not None:
        counter = _counted(counter, report.progress, at)
    if report.queue is not None:
        queue = _queued(queue, report.queue, at)
    return Pace(counter, queue)


def unlearn(pace: Pace) -> Pace:
    """After a start the counter and the queue begin anew; the usual rate stays."""
    counter = pace.counter
    return STILL if counter is None else Pace(counter._replace(recent=counter.usual, counting=False))


def slow(before: Slow | None, pace: Pace, observation: Observation, usual: Usual) -> Slow | None:
    """Far from its usual at this answer, and since when; `usual` is what was learnt before it."""
    at = observation.at
    since = before.since if before is not None else at
    taken = observation.latency
    if taken is not None and taken > FLOOR and usual.answers >= LEARNT and taken > TIMES * usual.latency:
        return Slow(since, Cause.LATENCY, taken, usual.latency)
    counter, queue = pace
    if counter is not None and counter.learnt >= KNOWN and counter.recent < counter.usual / TIMES:
        return Slow(since, Cause.PROGRESS, counter.recent, counter.usual)
    if queue is not None and queue.length > queue.low and at - queue.low_at >= GREW:
        return Slow(since, Cause.QUEUE, queue.length, queue.low, queue.low_at)
    return None


def _counted(before: Counter | None, value: float, at: float) -> Counter:
    """A counter that fell was reset: it tells no rate; nor does one right after a start, or while the clock goes back."""
    if before is None:
        return Counter(at, value)
    past, old, recent, usual, learnt, counting = before
    gone = at - past
    if not counting or value < old or gone <= 0:
        return Counter(at, value, recent, usual, learnt)
    rate = (value - old) / gone
    learnt += gone
    return Counter(
        at,
        value,
        recent + (rate - recent) * (gone / learnt if learnt < RECENT else 1 - exp(-gone / RECENT)),
        usual + (rate - usual) * (gone / learnt if learnt < USUAL else 1 - exp(-gone / USUAL)),
        learnt,
    )


def _queued(before: Queue | None, length: float, at: float) -> Queue:
    if before is None or length < before.length or (length == before.length and at - before.high_at > PLATEAU):
        return Queue(length, length, at, at)
    if length == before.length:
        return before
    return Queue(length, before.low, before.low_at, at)
