"""How a verb ends when it does not end well: one line for people on stderr and an exit code (SPEC 14)."""

from __future__ import annotations

from typing import IO, Any

import click

WRONG, USAGE, UNREACHABLE, CONFIGURATION = 1, 2, 3, 78
"""1 something is wrong, 2 usage, 3 daemon unreachable; 78 is how `run` tells systemd not to try again (SPEC 15)."""


class Failure(click.ClickException):
    """text: what is wrong and what to do, possibly in several lines."""

    def __init__(self, text: str, exit_code: int = WRONG) -> None:
        super().__init__(text)
        # A class variable for click, which reads it from the instance.
        self.__dict__["exit_code"] = exit_code

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"watchdogctl: {self.message}", file=file, err=file is None)
