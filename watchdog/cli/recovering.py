"""`recover`, `approve`, `reject`, `resume`: a person's word on what is healed."""

from __future__ import annotations

import click

from watchdog.cli.asking import act
from watchdog.cli.options import Asked, Number, common


@click.command()
@click.argument("service")
@click.option("--playbook", metavar="NAME", help="Which one; default: the one that fits.")
@click.option("--dry-run", is_flag=True, help="Show the steps and touch nothing.")
@common
def recover(asked: Asked, service: str, playbook: str | None, dry_run: bool) -> None:
    """Run a playbook on SERVICE now, with a full budget."""
    act(asked, "recover", {"service": service, "playbook": playbook, "dry_run": dry_run})


@click.command()
@click.argument("run", type=Number())
@common
def approve(asked: Asked, run: int) -> None:
    """Say yes to RUN, which waits for a person."""
    act(asked, "approve", {"run": run})


@click.command()
@click.argument("run", type=Number())
@common
def reject(asked: Asked, run: int) -> None:
    """Say no to RUN, which waits for a person."""
    act(asked, "reject", {"run": run})


@click.command()
@click.argument("service", required=False)
@common
def resume(asked: Asked, service: str | None) -> None:
    """Let the watchdog act again: on SERVICE, or after a storm.

    With a SERVICE: ends its hold and its ack, and gives a parked one one attempt now. Without one: ends a storm.
    """
    act(asked, "resume", {"service": service})
