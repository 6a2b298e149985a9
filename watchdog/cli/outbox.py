"""`outbox`: what has not reached people yet, and why."""

from __future__ import annotations

import click

from watchdog.cli import screen
from watchdog.cli.options import Asked, common
from watchdog.cli.place import place
from watchdog.cli.stored import reading
from watchdog.cli.views.outbox import outbox_doc, outbox_lines
from watchdog.cli.views.times import DAY
from watchdog.model.letter import LetterState

LOST = frozenset({LetterState.REFUSED, LetterState.DROPPED, LetterState.UNSURE})


@click.command()
@common
def outbox(asked: Asked) -> None:
    """Messages that wait for Telegram: to whom, why, and when they are tried next. Those given up in the last day, too."""
    where = place(asked)
    frame = screen.frame(where.zone)
    with reading(where) as reader:
        letters = [each for each in reader.letters(since=frame.now - DAY) if each.waits or each.state in LOST]
        oldest = min((each.notice for each in letters), default=None)
        notices = {} if oldest is None else {each.id: each for each in reader.notices() if each.id >= oldest}
        chats = reader.chats()
    if asked.json:
        screen.document(outbox_doc(letters, notices))
    else:
        screen.lines(outbox_lines(letters, chats, notices, frame))
