"""Running a person's command while a hold lasts."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

import click

NOT_FOUND, NOT_RUNNABLE = 127, 126
"""Exit codes as a shell gives them."""


def run_held(command: Sequence[str]) -> int:
    """Runs it on our own terminal and waits; its exit code, 128 + N when signal N ended it, 126 or 127 when it cannot be run."""
    try:
        # The person's own words, given to no shell.
        with subprocess.Popen(list(command)) as child, _passing_on(child):
            code = child.wait()
    except FileNotFoundError:
        click.echo(f"watchdogctl: there is no command '{command[0]}'", err=True)
        return NOT_FOUND
    except OSError as error:
        click.echo(f"watchdogctl: '{command[0]}' cannot be run: {error.strerror}", err=True)
        return NOT_RUNNABLE
    return 128 - code if code < 0 else code


@contextmanager
def _passing_on(child: subprocess.Popen[bytes]) -> Iterator[None]:
    """Signals meant for us go to the command, so that the hold always outlives it. Ctrl-C reaches it by the terminal."""

    def pass_on(number: int, _frame: FrameType | None) -> None:
        child.send_signal(number)

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGTERM, signal.SIGHUP)}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
