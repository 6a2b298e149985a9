"""Keeps what is seen before anything is changed.

The last observations, CPU, memory, open files and sockets of the process tree, and the tail of the log are stored with the
incident. It takes 10 seconds at most and never fails: what cannot be read is said in the evidence.

    - capture_evidence: {lines: 50}      # lines of the log
      on_failure: continue
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from recovery.errors import StepError
from recovery.model import Effect
from recovery.ports import Context, Result, Runtime, Vitals
from recovery.units import format_size

EFFECT = Effect.NONE
IDEMPOTENT = True

LONGEST = 9.5
"""Seconds for one source; they are read side by side, so the whole stays under 10 (SPEC 6)."""

MANY = 100
"""Dead children that nobody collects, from which on a person hears of them: they fill the table of processes."""

WIDEST = 400
"""Characters of one line."""


@dataclass(frozen=True, slots=True)
class Params:
    """lines: how many of the log's last ones, 1 to 500."""

    lines: int = 50

    def __post_init__(self) -> None:
        if not 1 <= self.lines <= 500:
            raise ValueError(f"lines: {self.lines} is not between 1 and 500")


async def run(params: Params, context: Context) -> Result:
    seen = _section("Observations", [*context.recent()])
    runtime = context.runtime
    if runtime is None:
        context.keep("evidence", seen)
        return Result("observations kept; nothing runs here that could be looked into")
    vitals, log = await asyncio.gather(
        _readable("Process", lambda: _process(runtime, context)),
        _readable("Log", lambda: _log(runtime, params.lines)),
    )
    context.keep("evidence", "\n\n".join((seen, vitals, log)))
    return Result("observations, vitals and log tail kept")


async def _readable(title: str, source: Callable[[], Awaitable[Sequence[str]]]) -> str:
    """One section of the evidence, or the reason why it is missing."""
    try:
        async with asyncio.timeout(LONGEST):
            return _section(title, await source())
    except TimeoutError:
        return _section(title, [f"could not be read within {LONGEST:g} s"])
    except (StepError, OSError, ValueError) as error:
        return _section(title, [f"could not be read: {error}"])


async def _process(runtime: Runtime, context: Context) -> Sequence[str]:
    sight = context.sight
    if not sight.running:
        code = "" if sight.exit_code is None else f", exit code {sight.exit_code}"
        return [f"not running ({sight.life}){code}"]
    vitals = await runtime.vitals(sight)
    if vitals.zombies >= MANY:
        context.note(f"{vitals.zombies} dead children it never collects: give it an init (init: true) and a limit (pids_limit)")
    return [f"pid {sight.pid}", *_figures(vitals)]


def _figures(vitals: Vitals) -> list[str]:
    figures = {
        "cpu": None if vitals.cpu is None else f"{vitals.cpu:.0f} % of one core",
        "memory": None if vitals.memory is None else format_size(vitals.memory),
        "open files": vitals.files,
        "sockets": vitals.sockets,
        "processes": vitals.processes,
        "dead children": vitals.zombies or None,
        "state": vitals.state or None,
    }
    return [*(f"{name} {value}" for name, value in figures.items() if value is not None), *vitals.more]


async def _log(runtime: Runtime, lines: int) -> Sequence[str]:
    return list(await runtime.log_tail(lines))[-lines:]


def _section(title: str, lines: Sequence[str]) -> str:
    return "\n".join((f"{title}:", *(f"  {line[:WIDEST]}" for line in lines or ["nothing"])))
