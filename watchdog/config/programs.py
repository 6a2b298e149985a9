"""Do the programs that the configuration names exist? Shown by `check`, never an error: they may be installed later."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from recovery.problem import Path as Keys
from watchdog.config.schema import Settings


def missing(settings: Settings) -> Iterator[tuple[Keys, str]]:
    """Path and text for each program that could not be started now."""
    for name, service in settings.services.items():
        process = service.runtime.process if service.runtime is not None else None
        if process is not None:
            text = _doubt(process.start[0], process.cwd)
            if text:
                yield ("services", name, "runtime", "process", "start"), text
            if process.cwd is not None and not os.path.isdir(process.cwd):  # noqa: PTH112 - never raises
                yield ("services", name, "runtime", "process", "cwd"), f"the folder {process.cwd} does not exist"
    for name, command in settings.commands.items():
        text = _doubt(command.argv[0], None)
        if text:
            yield ("commands", name, "argv"), text
    yield from _engines(settings)


def _engines(settings: Settings) -> Iterator[tuple[Keys, str]]:
    """Each socket that is not there is told once, however many containers are behind it."""
    told: set[str] = set()
    asked: list[tuple[Keys, str]] = [(("discovery",), settings.discovery.docker)] if settings.discovery is not None else []
    for name, service in settings.services.items():
        docker = service.runtime.docker if service.runtime is not None else None
        if docker is not None:
            asked.append((("services", name, "runtime", "docker"), docker.host))
    for at, socket in asked:
        if socket not in told and not os.path.exists(socket):  # noqa: PTH110 - never raises
            yield at, f"the socket {socket} does not exist: does Docker run here?"
        told.add(socket)


def _doubt(program: str, cwd: Path | None) -> str:
    if "/" not in program:
        return "" if shutil.which(program) else f"{program} is not found in PATH"
    path = (cwd or Path("/")) / program
    try:
        if not path.exists():
            return f"{path} does not exist"
        return "" if os.access(path, os.X_OK) and path.is_file() else f"{path} is not executable"
    except OSError:
        return ""  # who asks may not look there; the daemon may
