"""`exec: NAME`: a command of the configuration answers, by its exit code and, if it has one, by a status word in its output.

Exit code 0 is well, any other a failing check (`exit 1`). A degraded or critical word in its output goes before: an output that
is JSON or one word is read like a body of /health, and one that begins `WARNING - ...` or `DISK CRITICAL: ...`, as monitoring
plugins speak, by that word. A command that cannot be started is `misconfigured`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from recovery.adapters.commands import Command, Finished
from recovery.errors import StepError, StepImpossible
from watchdog.clock import Clock
from watchdog.model.observation import Kind, Observation
from watchdog.probing.answer import BODY_LIMIT, HttpAnswer
from watchdog.probing.lines import one_line
from watchdog.probing.verdict import judge
from watchdog.probing.words import status_of

Run = Callable[[Command, float, Mapping[str, str]], Awaitable[Finished]]
"""Runs a command within seconds, with more environment. Raises StepImpossible, or StepFailed from TimeoutError when late."""

_SPEAKS = ("ok", "warning", "critical")


async def ask_command(
    command: Command, deadline: float, clock: Clock, run: Run, declared: frozenset[str] = frozenset()
) -> Observation:
    """Run it once, to its end or the deadline (seconds). Raises nothing but cancellation."""
    try:
        finished = await run(command, deadline, {})
    except StepImpossible as error:
        return Observation(clock.now(), Kind.MISCONFIGURED, one_line(str(error)))
    except StepError as error:
        if isinstance(error.__cause__, TimeoutError):
            return Observation(clock.now(), Kind.NO_ANSWER, "timeout")
        return Observation(clock.now(), Kind.UNKNOWN, one_line(str(error)))
    return heard(finished, clock.now(), declared)


def heard(finished: Finished, now: float, declared: frozenset[str]) -> Observation:
    """The observation that an ended command is."""
    seen = judge(HttpAnswer(200, body=finished.output.encode("utf-8", "replace")[:BODY_LIMIT]), declared, {}, now)
    if seen.kind in (Kind.DEGRADED, Kind.CRITICAL):
        return replace(seen, code=None, latency=finished.seconds)
    spoken = _plugin_word(finished.output)
    if spoken in (Kind.DEGRADED, Kind.CRITICAL):
        return Observation(now, spoken, finished.last_line, finished.seconds)
    if finished.code == 0:
        return Observation(now, Kind.OK, latency=finished.seconds, parts=seen.parts, report=seen.report)
    if finished.code is None:
        return Observation(now, Kind.UNKNOWN, "its exit code is not known")
    ending = f"ended by signal {-finished.code}" if finished.code < 0 else f"exit {finished.code}"
    said = f": {finished.last_line}" if finished.last_line else ""
    return Observation(now, Kind.BAD_ANSWER, one_line(ending + said), finished.seconds)


def _plugin_word(output: str) -> Kind | None:
    """`WARNING - load 5.1`, `DISK CRITICAL: /srv 97 %`: the status among the first two words in capitals; None without one."""
    for word in output[:200].split(None, 2)[:2]:
        plain = word.rstrip(":-,")
        if plain.isupper() and plain.lower() in _SPEAKS:
            return status_of(plain)
    return None
