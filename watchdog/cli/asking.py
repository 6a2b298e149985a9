"""Asking the daemon: acts go over its socket, and only there (SPEC 14)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from watchdog.cli import screen
from watchdog.cli.options import Asked
from watchdog.cli.place import Place, place
from watchdog.cli.views.text import clean_line
from watchdog.errors import Unreachable
from watchdog.web.client import LONG, Client


def call(where: Place, verb: str, args: Mapping[str, Any] | None = None, timeout: float = LONG) -> Any:
    """The daemon's answer. Unreachable says how to start it, where none runs; Refused says why not."""
    try:
        return Client(where.socket).call(verb, args, timeout)
    except Unreachable as error:
        if not isinstance(error.__cause__, (FileNotFoundError, ConnectionRefusedError)):
            raise
        raise Unreachable(f"{error}\nStart it with: watchdogctl -c {where.config} run") from error


def act(asked: Asked, verb: str, args: Mapping[str, Any] | None = None, timeout: float = LONG) -> None:
    """Does one act and shows what the daemon says of it."""
    where = place(asked)
    service = (args or {}).get("service")
    if isinstance(service, str):
        where.known(service)
    answer = call(where, verb, args, timeout)
    show(asked, answer)


def show(asked: Asked, answer: Any) -> None:
    """The line for people, or all of it as JSON."""
    if asked.json:
        screen.document(answer)
    else:
        screen.lines(clean_line(line) for line in told(answer))


def told(answer: Any) -> list[str]:
    """What a person wants to read of it: its text, and for a dry run its steps and what would happen unasked."""
    if not isinstance(answer, Mapping):
        return str(answer).splitlines()
    lines = str(answer.get("text", "done")).splitlines()
    lines += [f"  {step}" for step in answer.get("steps") or ()]
    if answer.get("by_itself"):
        lines.append(f"Without being asked: {answer['by_itself']}")
    return lines
