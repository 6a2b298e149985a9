from __future__ import annotations

from collections.abc import Mapping

import pytest

from recovery.adapters.commands import Command, Finished
from recovery.errors import StepFailed, StepImpossible
from watchdog.clock import Clock
from watchdog.model.observation import Kind, Observation
from watchdog.probing.exec import ask_command, heard


def said(code: int | None, output: str = "", declared: frozenset[str] = frozenset()) -> Observation:
    return heard(Finished(code, output, 0.25), 5.0, declared)


@pytest.mark.parametrize(
    ("code", "output", "kind", "detail"),
    [
        (0, "", Kind.OK, ""),
        (0, "all 5 queues are short", Kind.OK, ""),
        (0, "{ is no JSON", Kind.OK, ""),
        (1, "", Kind.BAD_ANSWER, "exit 1"),
        (1, "cannot connect\nto the broker\n", Kind.BAD_ANSWER, "exit 1: to the broker"),
        (-9, "", Kind.BAD_ANSWER, "ended by signal 9"),
        (None, "", Kind.UNKNOWN, "its exit code is not known"),
        (0, "critical", Kind.CRITICAL, "critical"),
        (0, '{"status": "degraded", "reason": "slow"}', Kind.DEGRADED, "degraded: slow"),
        (2, '{"status": "degraded"}', Kind.DEGRADED, "degraded"),
        (1, '{"status": "ok"}', Kind.BAD_ANSWER, 'exit 1: {"status": "ok"}'),
        (1, "WARNING - load is 5.1", Kind.DEGRADED, "WARNING - load is 5.1"),
        (2, "DISK CRITICAL: /srv 97 %", Kind.CRITICAL, "DISK CRITICAL: /srv 97 %"),
        (0, "DISK OK - free space", Kind.OK, ""),
        (0, "no critical errors found", Kind.OK, ""),
    ],
)
def test_exit_code_and_status_word_speak(code: int | None, output: str, kind: Kind, detail: str) -> None:
    assert (said(code, output).kind, said(code, output).detail) == (kind, detail)


def test_a_command_that_blames_a_declared_dependency_is_excused() -> None:
    assert said(2, '{"status": "critical", "checks": {"redis": false}}', frozenset({"redis"})).excused


@pytest.mark.parametrize(
    ("error", "kind", "detail"),
    [
        (StepImpossible("check-it is not found"), Kind.MISCONFIGURED, "check-it is not found"),
        (StepFailed("no memory"), Kind.UNKNOWN, "no memory"),
    ],
)
async def test_a_command_that_cannot_be_started_is_no_illness(error: Exception, kind: Kind, detail: str) -> None:
    async def run(command: Command, timeout: float, env: Mapping[str, str]) -> Finished:
        raise error

    seen = await ask_command(Command(("check-it",)), 1.0, Clock(), run)
    assert (seen.kind, seen.detail) == (kind, detail)


async def test_a_command_that_is_killed_at_the_deadline_is_a_timeout() -> None:
    async def run(command: Command, timeout: float, env: Mapping[str, str]) -> Finished:
        assert timeout == 3.0
        raise StepFailed("not done") from TimeoutError()

    seen = await ask_command(Command(("check-it",)), 3.0, Clock(), run)
    assert (seen.kind, seen.detail) == (Kind.NO_ANSWER, "timeout")
