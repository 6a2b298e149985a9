"""`watchdogctl [-c FILE] VERB [-o json]`: the list of verbs, each loaded only when it is asked for (SPEC 14, 16)."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from watchdog.cli.failures import UNREACHABLE, USAGE, WRONG, Failure
from watchdog.errors import Misused, Unreachable, WatchdogError


@dataclass(frozen=True, slots=True)
class Verb:
    """module: the file of this package that holds it. says: its line in `--help`, which loads none of them."""

    module: str
    says: str


GROUPS: dict[str, dict[str, Verb]] = {
    "See": {
        "status": Verb("status", "The fleet, or one service, as it is now."),
        "why": Verb("why", "Why something was or was not done to a service."),
        "incidents": Verb("incidents", "What went wrong, newest first."),
        "incident": Verb("incidents", "Everything about one incident."),
        "history": Verb("history", "The states of a service over time."),
        "outbox": Verb("outbox", "Messages that did not reach anybody yet, and why."),
        "digest": Verb("digest", "What happened since yesterday, on one screen."),
    },
    "Act": {
        "hold": Verb("holding", "Pause actions for a while, also around a command."),
        "stop": Verb("holding", "Stop a service on purpose, for a while."),
        "start": Verb("holding", "Start a service that was stopped."),
        "recover": Verb("recovering", "Run a playbook on a service now."),
        "approve": Verb("recovering", "Say yes to a run that asks."),
        "reject": Verb("recovering", "Say no to a run that asks."),
        "ack": Verb("incidents", "Take an incident over: no sound, no actions."),
        "resume": Verb("recovering", "Act again: end a storm, or a service's hold, ack or wait."),
    },
    "Set up": {
        "notify": Verb("notify", "Send a test message to every chat."),
        "check": Verb("checking", "Check the configuration without running it."),
        "schema": Verb("checking", "JSON Schemas for editors."),
        "playbooks": Verb("playbooks", "List, show and test playbooks."),
        "simulate": Verb("simulate", "Run scenarios on a virtual clock."),
        "demo": Verb("demo", "A fleet that falls ill and is healed before your eyes."),
        "run": Verb("daemon", "Run the daemon."),
        "reload": Verb("checking", "Let the daemon read its configuration anew."),
    },
}
"""The verbs in the order of `--help`."""

UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EIO}
"""What a full or broken disk says to whoever writes a file on it, as stdout may be."""

VERBS: dict[str, Verb] = {name: verb for group in GROUPS.values() for name, verb in group.items()}


class LazyGroup(click.Group):
    """Knows its verbs by name; imports a verb's file when it is called, so that `--help` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        verb = VERBS.get(cmd_name)
        if verb is None:
            return None
        module = importlib.import_module(f"watchdog.cli.{verb.module}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        for title, verbs in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, verb.says) for name, verb in verbs.items()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            ctx.fail(f"There is no verb '{args[0]}'{_near(args[0])}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except WatchdogError as error:
            raise Failure(str(error), _code(error)) from error


def _code(error: WatchdogError) -> int:
    if isinstance(error, Unreachable):
        return UNREACHABLE
    return USAGE if isinstance(error, Misused) else WRONG


def _near(word: str) -> str:
    # It loads difflib, which is slow and only needed here.
    from recovery.problem import did_you_mean  # noqa: PLC0415

    return did_you_mean(word, VERBS) or ". watchdogctl --help lists them."


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "-c",
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Default: ./watchdog.yaml, else /etc/bot-watchdog/watchdog.yaml.",
)
@click.version_option(package_name="bot-watchdog", prog_name="watchdogctl")
@click.pass_context
def cli(ctx: click.Context, config: Path | None) -> None:
    """Watches bots, heals them at night, proves it, and stays quiet unless a person is needed.

    Exit codes: 0 fine, 1 something is wrong, 2 usage, 3 no daemon answers.
    """
    ctx.obj = config


def _open_streams() -> None:
    """Where a standard stream was closed the next file would get its number, and our words would go into it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115  for the whole life


def main() -> None:
    _open_streams()
    try:
        cli(prog_name="watchdogctl")
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        sys.exit(f"watchdogctl: the answer could not be written: {error.strerror}")
