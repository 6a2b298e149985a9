"""Relative paths of a configuration begin at the folder of its main file, wherever the daemon was started."""

from __future__ import annotations

import os
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

from recovery.problem import Path as Keys
from watchdog.config.container import DOCKER_LOG

PLAYBOOKS = "playbooks"
"""The folder beside the configuration that is read when no other is named."""


SOCKET_BYTES = 107
"""What the kernel has room for in the path of a unix socket."""


def settle(raw: MutableMapping[str, Any], folder: Path | None) -> Iterator[tuple[Keys, str]]:
    """Make the paths in `raw` absolute, in place; path and text of each playbook folder that is missing and of a socket too long.

    folder: None when there is no file, then paths stay as they are and no playbook folder is taken by default.
    """
    if raw.get("playbooks") is None:
        beside = folder / PLAYBOOKS if folder else None
        raw["playbooks"] = [str(beside)] if beside and beside.is_dir() else []
    if folder is None:
        return
    top = Path(os.path.abspath(folder))  # noqa: PTH100 - links stay as they were written
    for holder, key, path in _paths(raw):
        if isinstance(holder[key], str) and holder[key]:
            holder[key] = os.path.join(top, holder[key])  # noqa: PTH118 - keeps what is absolute and any trailing part
            if path[0] == "playbooks" and not Path(holder[key]).exists():
                yield path, f"{holder[key]} does not exist"
            if path == ("control", "socket") and (size := len(os.fsencode(holder[key]))) > SOCKET_BYTES:
                yield path, f"{holder[key]} is {size} bytes long and a unix socket takes {SOCKET_BYTES}, write a shorter path"


def _paths(raw: MutableMapping[str, Any]) -> Iterator[tuple[Any, Any, Keys]]:
    for section, key in (("state", "dir"), ("control", "socket")):
        if isinstance(holder := raw.get(section), dict) and key in holder:
            yield holder, key, (section, key)
    yield from _listed(raw.get("playbooks"), ("playbooks",))
    services = raw.get("services")
    for name, service in services.items() if isinstance(services, dict) else ():
        if not isinstance(service, dict):
            continue
        yield from (each for each in _listed(service.get("logs"), ("services", name, "logs")) if each[0][each[1]] != DOCKER_LOG)
        runtime = service.get("runtime")
        process = runtime.get("process") if isinstance(runtime, dict) else None
        for key in ("pidfile", "cwd"):
            if isinstance(process, dict) and key in process:
                yield process, key, ("services", name, "runtime", "process", key)


def _listed(value: Any, path: Keys) -> Iterator[tuple[Any, Any, Keys]]:
    for index in range(len(value)) if isinstance(value, list) else ():
        yield value, index, (*path, index)
