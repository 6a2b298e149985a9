"""`notify test`: does an alert arrive?"""

from __future__ import annotations

import asyncio
from typing import Any

import click

from watchdog.alerts.trial import NOBODY, trial
from watchdog.alerts.ways import Ways
from watchdog.cli import screen
from watchdog.cli.asking import show
from watchdog.cli.failures import WRONG, Failure
from watchdog.cli.options import Asked, common
from watchdog.cli.place import Place, place
from watchdog.clock import Clock
from watchdog.errors import Unreachable
from watchdog.model.phrases import moment
from watchdog.web.client import LONG, Client


@click.group()
def notify() -> None:
    """Alerts themselves: do they arrive?"""


@notify.command("test")
@common
def test(asked: Asked) -> None:
    """Send a test message to every chat, and say what Telegram answers and what to do about it.

    The daemon sends it; where none runs, this command does it with the configuration on disk.
    """
    where = place(asked)
    try:
        answer = Client(where.socket).call("notify_test", timeout=LONG)
    except Unreachable as silence:
        if not isinstance(silence.__cause__, FileNotFoundError | ConnectionRefusedError):
            raise
        answer = asyncio.run(_by_ourselves(where))
    show(asked, answer)
    if not all(each["ok"] for each in answer.get("chats", ())):
        click.get_current_context().exit(WRONG)


async def _by_ourselves(where: Place) -> dict[str, Any]:
    if where.settings is None:
        raise Failure("no daemon runs here, and the configuration cannot be used (watchdogctl check)")
    if where.settings.alerts.telegram is None:
        raise Failure(NOBODY)
    now = screen.frame(where.zone).now
    ways = Ways(Clock().monotonic)
    try:
        return await trial(ways.of(where.settings.alerts), moment(now, now, where.zone, zone=True))
    finally:
        await ways.close()
