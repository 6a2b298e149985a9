"""Which configuration file is meant (SPEC 14)."""

from __future__ import annotations

import os
from pathlib import Path

from recovery.ownership import untrusted
from watchdog.errors import ConfigurationError

NAME = "watchdog.yaml"
SYSTEM = Path("/etc/bot-watchdog") / NAME


def find(path: Path | None, *, system: Path = SYSTEM, user: int | None = None) -> Path:
    """The file given, else ./watchdog.yaml, else the system's. Raises ConfigurationError when there is none.

    root takes ./watchdog.yaml only if root owns it, and its folders, and nobody else can write them. user: default the own.
    """
    if path is not None:
        return path
    here, refused = Path(NAME), None
    if os.path.lexists(here):
        refused = untrusted(here, 0) if (os.geteuid() if user is None else user) == 0 else None
        if refused is None:
            return here
    if os.path.lexists(system):
        return system
    reason = f"./{NAME} is not taken by root: {refused}" if refused else f"./{NAME} does not exist"
    raise ConfigurationError((f"no configuration: {reason}; {system} does not exist; name a file with -c FILE",))
