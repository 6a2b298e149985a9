"""`run`: the daemon itself, in the foreground."""

from __future__ import annotations

import click

from watchdog.cli.failures import CONFIGURATION, Failure
from watchdog.cli.options import Asked, common
from watchdog.cli.place import chosen
from watchdog.daemon import serve
from watchdog.errors import ConfigurationError, StartError


@click.command()
@common
def run(asked: Asked) -> None:
    """Run the daemon in the foreground until TERM or Ctrl-C.

    A configuration or start error exits 78, so that systemd does not try again until somebody has mended it.
    """
    try:
        code = serve(chosen(asked))
    except (ConfigurationError, StartError) as error:
        raise Failure(str(error), CONFIGURATION) from error
    click.get_current_context().exit(code)
