"""What is allowed and yet probably not meant: shown by `check`, never an error."""

from __future__ import annotations

from collections.abc import Iterator

from recovery.problem import Path
from watchdog.config.schema import Edge, Settings
from watchdog.config.secrets import FORMS
from watchdog.redaction import redact

Remark = tuple[Path, str]


def remarks(settings: Settings) -> Iterator[Remark]:
    """Path and text of each remark."""
    if settings.alerts.telegram is None:
        yield (), "no channel for alerts is configured: messages go to the log and watchdogctl shows them, nobody is called"
    asked: dict[str, str] = {}
    used: set[str] = set()
    for name, service in settings.services.items():
        used.update(service.apis)
        if service.runtime is None:
            yield ("services", name), "has no runtime: it is watched and alerted only"
            if Edge.RESTART_WITH in service.depends_on.values():
                yield ("services", name, "depends_on"), "restart_with does nothing without a runtime"
        process = service.runtime.process if service.runtime is not None else None
        for key, value in (process.env if process is not None else {}).items():
            if isinstance(value, str) and redact(f"{key}={value}") != f"{key}={value}":
                yield ("services", name, "runtime", "process", "env", key), f"looks like a secret: {FORMS}"
        address = service.probe.http or service.probe.tcp
        if address and address in asked:
            yield ("services", name, "probe"), f"asks the same address as '{asked[address]}'"
        elif address:
            asked[address] = name
    for name in settings.apis:
        if name not in used:
            yield ("apis", name), "is used by no service"
