"""Where things are: the configuration that was chosen, its store and its socket.

A configuration that cannot be used does not blind the reader: what is needed to look (state folder, socket, zone, names) is
taken from the file as far as it can be read, because the daemon may well go on with an earlier form of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click

from recovery.problem import did_you_mean
from recovery.yaml import YamlError, load_file
from watchdog.cli.failures import USAGE, Failure
from watchdog.cli.options import Asked
from watchdog.cli.views.text import plural
from watchdog.config.find import SYSTEM
from watchdog.config.load import find, load
from watchdog.config.schema import Control, Settings, State
from watchdog.config.secrets import pretended
from watchdog.config.zone import host_zone
from watchdog.errors import ConfigurationError

OWN = ("host", "docker")
"""Services of their own with incidents and answers, in no configuration (SPEC 4)."""


@dataclass(frozen=True, slots=True)
class Place:
    """titles: services by name. settings: None when the file cannot be used; problems then says why. Secrets are pretended."""

    config: Path
    state: Path
    socket: Path
    zone: tzinfo
    titles: Mapping[str, str]
    settings: Settings | None = None
    problems: tuple[str, ...] = ()

    def known(self, service: str) -> str:
        """The name, if it is one; Failure with a suggestion otherwise. Without any configuration every name may be right."""
        by_labels = self.settings is not None and self.settings.discovery is not None
        if service in self.titles or service in OWN or not self.titles or by_labels:
            return service
        raise self.stranger(service)

    def stranger(self, service: str, others: Iterable[str] = ()) -> Failure:
        """What to say of a name that is in no file and was never seen. others: names of found containers."""
        names = {*self.titles, *others}
        return Failure(f"there is no service '{service}'{did_you_mean(service, names) or '; see: watchdogctl status'}", USAGE)

    def title(self, service: str) -> str:
        return self.titles.get(service, service)


def place(asked: Asked) -> Place:
    """The configuration as it was asked for; its name goes to stderr (SPEC 14)."""
    path = chosen(asked)
    try:
        settings = load(path, secrets=pretended)  # whoever may only look needs no secret, and may not read it either
    except ConfigurationError as error:
        if not _says_something(path):
            raise
        click.echo(f"{plural(len(error.problems), 'error')} in it (watchdogctl check); reading on as far as it goes", err=True)
        return salvage(path, error.problems)
    titles = {name: service.title for name, service in settings.services.items()}
    return Place(path, settings.state.dir, settings.control.socket, zone_of(settings.timezone), titles, settings)


def chosen(asked: Asked) -> Path:
    """The file that counts, told on stderr."""
    path = find(asked.config)
    with suppress(OSError):  # a full disk behind stderr must not keep the daemon from starting
        click.echo(f"configuration: {path}", err=True)
    return path


def salvage(path: Path, problems: tuple[str, ...]) -> Place:
    """What a broken file still says, with the defaults for the rest."""
    try:
        top = load_file(path).value
    except YamlError:
        top = {}
    state, control, services = (_mapping(top, key) for key in ("state", "control", "services"))
    titles = {name: str(_mapping(services, name).get("title") or name) for name in services}
    folder, socket = state.get("dir"), control.get("socket")
    return Place(
        config=path,
        state=path.parent / folder if isinstance(folder, str) else State().dir,
        socket=path.parent / socket if isinstance(socket, str) else Control().socket,
        zone=zone_of(str(top.get("timezone") or host_zone(os.environ))),
        titles=titles,
        problems=problems,
    )


def _says_something(path: Path) -> bool:
    """Whether a broken file still tells which daemon is meant. The usual socket would be that of another one.

    The system's own file always does: it belongs to the daemon of this host.
    """
    if not os.path.isfile(path):  # noqa: PTH113  also for a path that no file can have
        return False
    try:
        return path == SYSTEM or isinstance(load_file(path).value, dict)
    except YamlError:
        return False


def zone_of(name: str) -> tzinfo:
    """The zone, or UTC for a name that is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def _mapping(top: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = top.get(key)
    return value if isinstance(value, dict) else {}
