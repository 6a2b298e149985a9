"""Rules between the parts of a configuration, on the plain values, so that one error does not hide another (SPEC 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from recovery.problem import Path, did_you_mean, quoted
from recovery.units import UnitError, parse_duration
from watchdog.config.container import DOCKER_LOG, DOCKER_SOCKET
from watchdog.config.cycles import cycles
from watchdog.config.fields import NAME_PATTERN
from watchdog.config.schema import Defaults

RESERVED = frozenset({"host", "docker", "api"})
"""Services of our own have these names."""

SUGGESTED = 20
"""Unknown names that get a suggestion; a thousand of them have one cause, and looking for neighbours takes time."""

Finding = tuple[Path, str, bool]
"""Path, text, and whether the key is meant rather than the value."""


def check(raw: Mapping[str, Any]) -> Iterator[Finding]:
    """All breaches of the rules between parts. raw: values as written, types not yet checked."""
    services = {name: service for name, service in _mapping(raw.get("services")).items() if isinstance(service, dict)}
    if raw.get("services") == {} and not raw.get("discovery"):
        yield ("services",), "names no service", False
    yield from _names(raw)
    yield from _zone(raw)
    yield from _tempo(("defaults",), _mapping(raw.get("defaults")), {})
    suggest = _Suggestions()
    for name, service in services.items():
        yield from _tempo(("services", name), service, _mapping(raw.get("defaults")))
        yield from _references(raw, name, service, suggest)
        yield from _runtime(name, service)
    yield from _containers(services)
    yield from _circles(services)


def _names(raw: Mapping[str, Any]) -> Iterator[Finding]:
    for section, what in (("services", "service"), ("apis", "API"), ("commands", "command")):
        for name in _mapping(raw.get(section)):
            if not re.fullmatch(NAME_PATTERN, name):
                rule = "small letters, digits, '_', '.', '-', at most 63, a letter or digit first"
                yield (section, name), f"{quoted(name)} is no name for a {what}: {rule}", True
            elif section == "services" and name in RESERVED:
                yield (section, name), f"the name {quoted(name)} is reserved", True


def _zone(raw: Mapping[str, Any]) -> Iterator[Finding]:
    name = raw.get("timezone")
    if not isinstance(name, str):
        return
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        yield ("timezone",), f"unknown timezone {quoted(name)}{did_you_mean(name, available_timezones())}", False


def _tempo(path: Path, written: Mapping[str, Any], defaults: Mapping[str, Any]) -> Iterator[Finding]:
    """A timeout that is written must fit into the interval that holds beside it; an inherited one is cut silently."""
    timeout = _seconds(written.get("timeout"))
    interval = _seconds(written.get("interval", defaults.get("interval"))) or Defaults().interval
    if timeout is not None and timeout > interval:
        shown = written.get("interval", defaults.get("interval", "30s"))
        yield (*path, "timeout"), f"{quoted(written['timeout'])} is longer than the interval ({shown})", False


def _references(raw: Mapping[str, Any], name: str, service: Mapping[str, Any], suggest: _Suggestions) -> Iterator[Finding]:
    services, apis, commands = (_mapping(raw.get(section)) for section in ("services", "apis", "commands"))
    for at, other in _items(service.get("depends_on")):
        path = ("services", name, "depends_on", at)
        if other == name:
            yield path, f"{quoted(name)} depends on itself", isinstance(at, str)
        elif other not in services:
            near = suggest(other, services)
            found = "" if near or not raw.get("discovery") else "; a container found by its labels cannot be named in the file"
            yield path, f"unknown service {quoted(other)}{near or found}", isinstance(at, str)
    seen: set[str] = set()
    for at, api in _items(service.get("apis")):
        if api in seen:
            yield ("services", name, "apis", at), f"{quoted(api)} is named twice", False
        elif api not in apis:
            yield ("services", name, "apis", at), f"unknown API {quoted(api)}{suggest(api, apis)}", False
        seen.add(api)
    command = _mapping(service.get("probe")).get("exec")
    if isinstance(command, str) and command not in commands:
        yield ("services", name, "probe", "exec"), f"unknown command {quoted(command)}{suggest(command, commands)}", False


def _runtime(name: str, service: Mapping[str, Any]) -> Iterator[Finding]:
    probe, runtime = _mapping(service.get("probe")), service.get("runtime")
    yield from _logs(name, service, _mapping(runtime))
    if probe.get("docker") is True and "docker" not in _mapping(runtime):
        yield ("services", name, "probe", "docker"), "needs a runtime: {docker: ...}", False
    if runtime:
        return
    if probe.get("process") is True:
        yield ("services", name, "probe", "process"), "needs a runtime: {process: ...}", False
    if "signal" in _mapping(service.get("reload")):
        yield ("services", name, "reload", "signal"), "needs a runtime, there is no process to signal", False


def _logs(name: str, service: Mapping[str, Any], runtime: Mapping[str, Any]) -> Iterator[Finding]:
    for at, log in enumerate(service["logs"] if isinstance(service.get("logs"), list) else ()):
        if log == DOCKER_LOG and "docker" not in runtime:
            yield ("services", name, "logs", at), "needs a runtime: {docker: ...}", False
        elif log == "journal":
            yield ("services", name, "logs", at), "'journal' is not available in this version", False


def _containers(services: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    """Two services that are one container would heal it in turns."""
    owners: dict[tuple[str, str], str] = {}
    for name, service in services.items():
        docker = _mapping(service.get("runtime")).get("docker")
        form = {"name": docker} if isinstance(docker, str) else _mapping(docker)
        if not isinstance(form.get("name"), str):
            continue
        key = (str(form.get("host", DOCKER_SOCKET)).removeprefix("unix://"), form["name"])
        if key in owners:
            text = f"container {quoted(key[1])} is that of {quoted(owners[key])} already"
            yield ("services", name, "runtime", "docker"), text, False
        owners.setdefault(key, name)


def _circles(services: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    edges = {name: [other for _, other in _items(service.get("depends_on"))] for name, service in services.items()}
    for circle in cycles(edges):
        last = circle[-2]
        at = next(at for at, other in _items(services[last].get("depends_on")) if other == circle[-1])
        yield ("services", last, "depends_on", at), f"dependency cycle: {' -> '.join(circle)}", isinstance(at, str)


class _Suggestions:
    """`did you mean`, for the first unknown names only."""

    def __init__(self) -> None:
        self._left = SUGGESTED

    def __call__(self, word: str, known: Mapping[str, Any]) -> str:
        self._left -= 1
        return did_you_mean(word, known) if self._left >= 0 else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _items(value: Any) -> list[tuple[str | int, str]]:
    """Names of a list or of a mapping's keys, with where they stand."""
    if isinstance(value, dict):
        return [(key, key) for key in value]
    return [(index, item) for index, item in enumerate(value) if isinstance(item, str)] if isinstance(value, list) else []


def _seconds(value: Any) -> float | None:
    try:
        return parse_duration(value)
    except UnitError:
        return None
