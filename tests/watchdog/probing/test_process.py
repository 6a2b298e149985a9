from __future__ import annotations

import asyncio

import pytest

from recovery.errors import StepFailed
from recovery.ports import Life, Sight
from watchdog.clock import Clock
from watchdog.model.observation import Kind
from watchdog.probing.process import ask_process


class Looked:
    """A runtime of which only the look matters: a sight, an error, or None for one that never returns."""

    def __init__(self, sees: Sight | Exception | None) -> None:
        self.sees = sees

    async def look(self) -> Sight:
        if self.sees is None:
            await asyncio.Event().wait()
        if isinstance(self.sees, Exception):
            raise self.sees
        assert self.sees is not None
        return self.sees


@pytest.mark.parametrize(
    ("sees", "kind", "detail"),
    [
        (Sight(Life.RUNNING, "7:1:x"), Kind.OK, ""),
        (Sight(Life.STOPPED, exit_code=3), Kind.NO_ANSWER, "not running (exit code 3)"),
        (Sight(Life.GONE), Kind.NO_ANSWER, "not running"),
        (Sight(Life.BUSY, detail="restarting"), Kind.STARTING, "restarting"),
        (StepFailed("/proc cannot be read"), Kind.UNKNOWN, "could not look: /proc cannot be read"),
        (None, Kind.UNKNOWN, "could not look in time"),
    ],
)
async def test_a_process_is_as_its_runtime_sees_it(sees: Sight | Exception | None, kind: Kind, detail: str) -> None:
    seen = await ask_process(Looked(sees), 0.05, Clock())
    assert (seen.kind, seen.detail) == (kind, detail)


async def test_without_a_runtime_nothing_can_be_said() -> None:
    assert (await ask_process(None, 1.0, Clock())).kind is Kind.UNKNOWN
