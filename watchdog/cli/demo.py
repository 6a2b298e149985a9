"""`demo`: a real fleet that falls ill and is healed in front of the viewer."""

from __future__ import annotations

import click

from watchdog.demo.show import show


@click.command()
def demo() -> None:
    """A fleet of small bots falls ill, each in its own way, and is healed before your eyes. Touches nothing of yours."""
    click.get_current_context().exit(show())
