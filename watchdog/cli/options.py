"""What every verb takes, `-c FILE` and `-o json`, and what it is given for them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from recovery.units import UnitError, parse_duration


@dataclass(frozen=True, slots=True)
class Asked:
    """config: the file that was named, None for the usual ones. json: machine-readable output."""

    config: Path | None = None
    json: bool = False


class Number(click.IntRange):
    """An incident or a run by its number, from 1 on."""

    def __init__(self) -> None:
        super().__init__(min=1, max=2**63 - 1)  # no row has a higher one

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"'{value}' is no number from 1 on", param, ctx)


def common(verb: Callable[..., None]) -> Callable[..., None]:
    """Gives the verb an Asked as its first argument; -c is understood before and after the verb."""

    @click.option("-c", "--config", "config_file", type=click.Path(path_type=Path), metavar="FILE", help="The configuration.")
    @click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="Form of the output.")
    @click.pass_context
    @functools.wraps(verb)
    def wrapped(ctx: click.Context, config_file: Path | None, output: str, *args: Any, **kwargs: Any) -> None:
        verb(Asked(config_file or ctx.obj, output == "json"), *args, **kwargs)

    return wrapped


def duration(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """`20m`, `1h30m` as seconds: the callback of options that say for how long."""
    return _seconds(ctx, param, value, ("m", "h"))


def span(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """`24h`, `7d` as seconds: the callback of options that say how far back."""
    return _seconds(ctx, param, value, ("h", "d"))


def _seconds(ctx: click.Context, param: click.Parameter, value: str | None, likely: tuple[str, str]) -> float | None:
    if value is None:
        return None
    try:
        seconds = parse_duration(value, likely)
    except UnitError as error:
        raise click.BadParameter(str(error), ctx, param) from error
    if seconds <= 0:
        raise click.BadParameter(f"'{value}' is no time at all", ctx, param)
    return seconds
