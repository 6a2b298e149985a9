"""What goes out: lines on a terminal or in a pipe, or JSON."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable
from datetime import UTC, tzinfo
from typing import Any

import click

from watchdog.cli.views.frame import Frame
from watchdog.clock import Clock

PIPE, NARROWEST, WIDEST = 100, 40, 140
"""Columns: what a pipe is given, and the bounds of a terminal."""


def frame(zone: tzinfo = UTC, now: float | None = None) -> Frame:
    """The paper of this terminal at this moment."""
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size((PIPE, 24)).columns if terminal else PIPE
    return Frame(
        now=Clock().now() if now is None else now,
        zone=zone,
        width=min(max(width, NARROWEST), WIDEST),
        colour=terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
    )


def lines(told: Iterable[str]) -> None:
    click.echo("\n".join(told))


def document(doc: Any) -> None:
    """Readable JSON; what is not ASCII stays as it is, except what no UTF-8 holds."""
    text = json.dumps(doc, indent=2, ensure_ascii=False)
    click.echo(text.encode("utf-8", "backslashreplace").decode())
