"""A screen that is drawn anew each second without flicker, until Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence
from datetime import tzinfo

import click

from watchdog.cli import screen
from watchdog.cli.views.frame import Frame
from watchdog.clock import Clock
from watchdog.errors import WatchdogError

EVERY = 1.0
"""Seconds from one picture to the next."""

_HIDE, _SHOW, _HOME, _REST, _LINE = "\x1b[?25l", "\x1b[?25h", "\x1b[H", "\x1b[J", "\x1b[K"
_ENTER, _LEAVE = "\x1b[?1049h", "\x1b[?1049l"


def picture(lines: Sequence[str]) -> str:
    """One picture over the one before: each line clears its own rest, so that nothing blinks."""
    return _HOME + "".join(f"{line}{_LINE}\r\n" for line in lines) + _REST


def watching(draw: Callable[[Frame], Sequence[str]], zone: tzinfo) -> None:
    """Draws until Ctrl-C or TERM. A daemon that goes away is said so and waited for."""
    click.echo(_ENTER + _HIDE, nl=False)
    try:
        asyncio.run(_loop(draw, zone))
    except KeyboardInterrupt:
        # Ctrl-C is how a watch ends, not a failure.
        return
    finally:
        click.echo(_SHOW + _LEAVE, nl=False)


async def _loop(draw: Callable[[Frame], Sequence[str]], zone: tzinfo) -> None:
    clock, task = Clock(), asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    while True:
        frame = screen.frame(zone)
        try:
            lines = draw(frame)
        except (WatchdogError, click.ClickException) as error:
            lines = str(error).splitlines()
        click.echo(picture(lines), nl=False)
        await clock.sleep(EVERY)
