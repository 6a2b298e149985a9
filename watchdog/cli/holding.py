"""`hold`, `stop`, `start`: pauses that end by themselves, also around a command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from watchdog.cli.around import run_held
from watchdog.cli.asking import act, call
from watchdog.cli.options import Asked, common, duration
from watchdog.cli.place import Place, place
from watchdog.cli.views.text import clean
from watchdog.errors import WatchdogError

_COMMAND = "watchdogctl.command"


class WithCommand(click.Command):
    """What stands behind `--` is a command of its own and no argument of ours."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            args, ctx.meta[_COMMAND] = args[:at], tuple(args[at + 1 :])
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND]"]


@click.command(cls=WithCommand)
@click.argument("service", required=False)
@click.option("--all", "everything", is_flag=True, help="All services.")
@click.option("--for", "length", metavar="TIME", callback=duration, help="How long at most, as 20m.")
@click.option("--reason", default="", metavar="TEXT", help="For those who wonder.")
@click.option("--end", is_flag=True, help="End the hold now.")
@common
def hold(asked: Asked, *, service: str | None, everything: bool, length: float | None, reason: str, end: bool) -> None:
    """Pause actions for SERVICE or --all; it is still asked and shown, and not paged by its age meanwhile.

    Returns when the pause is in force: a recovery that runs ends at its next safe point first (90 s at most). With a COMMAND
    the hold lasts as long as it runs and its exit code is ours: hold scraper --for 20m -- make deploy
    """
    ctx = click.get_current_context()
    command: Sequence[str] = ctx.meta.get(_COMMAND, ())
    if (service is None) is not everything:
        raise click.UsageError("name one SERVICE or say --all")
    if end and (length is not None or command):
        raise click.UsageError("--end stands alone")
    if end:
        act(asked, "hold_end", {"service": service})
        return
    if length is None:
        raise click.UsageError("say how long: --for 20m")
    args = {"service": service, "for": length, "reason": reason or (f"runs {clean(' '.join(command))[:200]}" if command else "")}
    if not command:
        act(asked, "hold", args)
        return
    ctx.exit(_around(asked, args, command))


def _around(asked: Asked, args: Mapping[str, Any], command: Sequence[str]) -> int:
    where = place(asked)
    if args["service"] is not None:
        where.known(args["service"])
    answer = call(where, "hold", args)
    click.echo(answer.get("text", "on hold"), err=True)
    try:
        return run_held(command)
    finally:
        _release(where, args["service"])


def _release(where: Place, service: str | None) -> None:
    """Ends the hold. When that fails the hold ends by itself, and the command's result still counts."""
    try:
        answer = call(where, "hold_end", {"service": service})
        click.echo(answer.get("text", "the hold has ended"), err=True)
    except WatchdogError as error:
        click.echo(f"watchdogctl: the hold could not be ended and ends by itself: {error}", err=True)


@click.command()
@click.argument("service")
@click.option("--for", "length", metavar="TIME", required=True, callback=duration, help="How long, as 2h.")
@click.option("--reason", default="", metavar="TEXT", help="For those who wonder.")
@common
def stop(asked: Asked, service: str, length: float, reason: str) -> None:
    """Stop SERVICE on purpose; it is started again when the time is over, or by `watchdogctl start`."""
    act(asked, "stop", {"service": service, "for": length, "reason": reason})


@click.command()
@click.argument("service")
@common
def start(asked: Asked, service: str) -> None:
    """Start SERVICE that was stopped on purpose, and watch it again."""
    act(asked, "start", {"service": service})
