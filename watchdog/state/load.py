"""The load of a process: CPU and memory now, since when they are above their limits, and memory over the last hour (SPEC 4).

Times are wall seconds. CPU is in percent of one core, over the stretch between two readings.
"""

from __future__ import annotations

from typing import NamedTuple

from recovery.units import format_duration, format_size
from watchdog.config.service import Thresholds
from watchdog.state.pace import Pace

LONGEST = 90.0
"""Seconds between two readings, beyond which nobody knows what was between them: a suspended host, a daemon that was busy."""

CURVE = 3600.0
"""Seconds of memory that are kept."""

STEP = 300.0
"""Seconds between two points of the curve; also how long a calm load stays as it was told last."""

LEAST = 0.2
"""Seconds between two readings from which a rate can be told: the kernel counts CPU in steps of 10 ms."""


class Reading(NamedTuple):
    """One look. mono: monotonic seconds, by which rates are told. seconds: of CPU, since some fixed moment. memory: bytes.

    limit: bytes at which it is killed, None without one.
    """

    at: float
    mono: float
    seconds: float
    memory: int
    limit: int | None = None


class Load(NamedTuple):
    """at: of the newest reading. cpu: percent of one core, None while only one reading is known. memory: bytes.

    cpu_since, memory_since: above their limit ever since. curve: (at, bytes), oldest first.
    counter, queue: of the newest answer that was known at the newest reading while CPU was above its limit.
    flat_since: when the counter was first told to be there, with no work seen since; None without a counter, or CPU below.
    """

    at: float = 0.0
    cpu: float | None = None
    cpu_since: float | None = None
    memory: int = 0
    memory_since: float | None = None
    limit: int | None = None
    curve: tuple[tuple[float, int], ...] = ()
    counter: float | None = None
    queue: float | None = None
    flat_since: float | None = None

    @property
    def calm(self) -> bool:
        """Below every limit."""
        return self.cpu_since is None and self.memory_since is None


UNLOADED = Load()
"""Nobody has measured yet."""


def measured(load: Load, before: Reading | None, now: Reading, limits: Thresholds, pace: Pace) -> Load:
    """The load after one more reading. before: the one of the same instance before it, None for its first."""
    cpu = _rate(before, now)
    gap = before is None or now.mono - before.mono > LONGEST
    since = now.at if before is None or gap else now.at - (now.mono - before.mono)
    cpu_since = _since(load.cpu_since, limits.cpu is not None and cpu is not None and cpu > limits.cpu.above, since, gap=gap)
    memory_since = _since(load.memory_since, limits.memory is not None and now.memory > limits.memory.above, now.at, gap=gap)
    worked = _followed(load, pace) if cpu_since is not None else UNLOADED
    return Load(
        now.at,
        cpu,
        cpu_since,
        now.memory,
        memory_since,
        now.limit,
        _grown(load.curve, now.at, now.memory),
        worked.counter,
        worked.queue,
        worked.flat_since,
    )


def tells(load: Load, before: Reading | None, now: Reading, limits: Thresholds) -> bool:
    """Whether this reading is worth a new load: most bots at most times are calm, and one is made for every service."""
    if before is None or load.cpu is None or not load.calm or not 0 <= now.at - load.at < STEP:
        return True
    if limits.memory is not None and now.memory > limits.memory.above:
        return True
    cpu = _rate(before, now)
    return limits.cpu is not None and cpu is not None and cpu > limits.cpu.above


def reborn(load: Load) -> Load:
    """A new instance has used nothing yet. Its memory is drawn on in the same curve."""
    return load if load == UNLOADED else Load(curve=load.curve)


def shifted(load: Load, seconds: float) -> Load:
    """After the wall clock was set."""
    return load._replace(
        at=load.at + seconds if load.at else load.at,
        cpu_since=_moved(load.cpu_since, seconds),
        memory_since=_moved(load.memory_since, seconds),
        flat_since=_moved(load.flat_since, seconds),
        curve=tuple((at + seconds, size) for at, size in load.curve),
    )


def drawn(load: Load, now: float) -> str:
    """Memory over the last hour in one line, for evidence; "" when nobody has measured."""
    if not load.curve:
        return ""
    points = [f"{format_size(size)} {format_duration(now - at)} ago" for at, size in load.curve if at < now]
    newest = [f"{format_size(load.memory)} now"] if load.memory else []
    return f"memory: {', '.join([*points, *newest])}"


def _rate(before: Reading | None, now: Reading) -> float | None:
    """Less CPU than before means that a child has ended and took its own with it: that stretch tells nothing."""
    if before is None:
        return None
    gone, used = now.mono - before.mono, now.seconds - before.seconds
    return 100.0 * used / gone if LEAST <= gone <= LONGEST and used >= 0 else None


def _since(before: float | None, above: bool, began: float, *, gap: bool) -> float | None:
    if not above:
        return None
    return began if before is None or gap else before


def _followed(load: Load, pace: Pace) -> Load:
    """Whether work was done while CPU is above its limit: any other counter, or a queue that fell, begins the stretch anew."""
    counter, queue = pace
    if counter is None:
        return UNLOADED
    length = queue.length if queue is not None else None
    fell = length is not None and load.queue is not None and length < load.queue
    flat = load.flat_since is not None and counter.value == load.counter and not fell
    return Load(counter=counter.value, queue=length, flat_since=load.flat_since if flat else counter.at)


def _grown(curve: tuple[tuple[float, int], ...], at: float, memory: int) -> tuple[tuple[float, int], ...]:
    if curve and 0 <= at - curve[-1][0] < STEP:
        return curve
    return (*(point for point in curve if 0 <= at - point[0] < CURVE), (at, memory))


def _moved(at: float | None, seconds: float) -> float | None:
    return None if at is None else at + seconds
