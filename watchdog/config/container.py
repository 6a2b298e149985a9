"""A Docker container in the settings: its name, and the engine that it runs in (SPEC 3, runtime `docker`)."""

from __future__ import annotations

import posixpath
import re
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field, PlainValidator
from pydantic.dataclasses import dataclass

from watchdog.config.fields import pattern

DOCKER_SOCKET = "/var/run/docker.sock"

SAME_SOCKET = "/run/docker.sock"
"""Another name of it wherever there is a /run. Taken for another engine, one container could be two services."""

DOCKER_LOG = "docker"
"""Not a file among `logs`: what the container itself writes."""

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"
SOCKET_PATTERN = r"^(unix://)?/\S+$"


def _name(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(NAME_PATTERN, value):
        raise ValueError(f"'{value}' is no name of a container")
    return value


def _socket(value: object) -> str:
    """The path of a unix socket, `unix://` before it or not: what runs in another host's engine cannot be signalled from here."""
    if not isinstance(value, str) or not re.fullmatch(SOCKET_PATTERN, value):
        raise ValueError(f"'{value}' is no unix socket, write for example {DOCKER_SOCKET}")
    path = posixpath.normpath("/" + value.removeprefix("unix://").lstrip("/"))
    return DOCKER_SOCKET if path == SAME_SOCKET else path


Name = Annotated[str, PlainValidator(_name), pattern(NAME_PATTERN, "ezee-scraper")]
Socket = Annotated[str, PlainValidator(_socket), pattern(SOCKET_PATTERN, DOCKER_SOCKET)]


@dataclass(frozen=True, slots=True, config=ConfigDict(extra="forbid", hide_input_in_errors=True))
class Container:
    """Known by its name: whatever bears it next is the same service."""

    name: Name = Field(description="its name; `docker: NAME` is short for it")
    host: Socket = Field(default=DOCKER_SOCKET, description="unix socket of the Docker engine")


def _short(value: object) -> object:
    """A text is the name alone."""
    return {"name": value} if isinstance(value, str) else value


NamedContainer = Annotated[Container, BeforeValidator(_short)]
