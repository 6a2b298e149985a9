"""What a run would do, told before it does it."""

from __future__ import annotations

from dataclasses import replace

from recovery.actions import restart, run_command, stop_process
from recovery.model import Effect, Step
from tests.builders import BOOKS
from watchdog.decisions.rehearsal import rehearsed


def test_steps_are_told_with_what_they_were_given() -> None:
    steps = (
        Step("a", "run_command", run_command.Params("clear-lock", Effect.NONE, 30.0), Effect.NONE),
        Step("b", "stop_process", stop_process.Params(kill=False), Effect.RESTART),
        Step("c", "stop_process", stop_process.Params(grace=90.0), Effect.RESTART),
        Step("d", "restart", restart.Params(), Effect.RESTART),
    )
    assert rehearsed(replace(BOOKS["restart-unresponsive"], steps=steps), 10.0) == [
        "1. run_command: {name: clear-lock, effect: none, within: 30s}",
        "2. stop_process: {grace: 10s, kill: false}",
        "3. stop_process: {grace: 1m30s}",
        "4. restart",
    ]
