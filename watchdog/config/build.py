"""From plain values with places to Settings: variables, secrets, paths, inheritance, types, and all problems on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from recovery.problem import Path as Keys
from recovery.problem import Problem
from watchdog.config.check import check
from watchdog.config.fields import FROM_FILE
from watchdog.config.interpolate import Variables
from watchdog.config.places import settle
from watchdog.config.schema import Defaults, Settings
from watchdog.config.secrets import Secret, SecretError, resolve
from watchdog.config.sources import Sources
from watchdog.config.wording import located, masked, problems
from watchdog.config.zone import host_zone

Also = Callable[[Settings | None], Iterable[Problem]]
"""More checks whose problems belong into the same list, those of the playbooks. None: settings could not be built."""

TIMING = ("interval", "timeout", "retry", "startup_grace", "term_grace", "healthy")
"""What a service inherits from `defaults` unless it says otherwise."""

_SETTINGS = TypeAdapter(Settings)
_DEFAULTS = TypeAdapter(Defaults)


def build(
    sources: Sources, folder: Path | None, environ: Mapping[str, str], *, whole: bool = True, also: Also | None = None
) -> tuple[Settings | None, list[Problem]]:
    """The settings, and all problems: use them only when there is none. Changes the values of `sources` in place.

    whole: every file could be read. Else a name may be unknown only because its file is broken, so names are not checked.
    """
    raw = sources.value
    variables = Variables(environ)
    variables.fill(sources)
    written = variables.written
    findings = [*(check(raw) if whole else ()), *_prepare(raw, folder, environ)]
    found = [located(sources, at, masked(at, text, written), key=key) for at, text, key in findings]
    settings: Settings | None = None
    try:
        settings = _SETTINGS.validate_python(raw, context=FROM_FILE, by_alias=True, by_name=False)
    except ValidationError as error:
        found.extend(problems(error.errors(include_url=False), sources, written))
    # A value whose variable is missing is not judged a second time.
    missing = {problem.order for problem in variables.problems}
    found = [problem for problem in found if problem.order not in missing]
    if also is not None:
        found.extend(also(settings))
    return settings, [*variables.problems, *found]


def _prepare(raw: dict[str, Any], folder: Path | None, environ: Mapping[str, str]) -> Iterator[tuple[Keys, str, bool]]:
    """Values in place of their written forms; path, text, and whether the key is meant."""
    for at, text in (*_secrets(raw, environ, folder or Path()), *_alert_secrets(raw, environ, folder or Path())):
        yield at, text, False
    for at, text in settle(raw, folder):
        yield at, text, False
    if raw.get("discovery"):
        raw.setdefault("services", {})
    if raw.get("timezone") is None:
        raw["timezone"] = host_zone(environ)
    defaults: Any = raw.get("defaults", {})
    try:
        _DEFAULTS.validate_python(defaults, context=FROM_FILE)
    except ValidationError:
        defaults = {}  # said once, at `defaults`, and not again for every service
    for name, service in _services(raw):
        if "name" in service:
            yield ("services", name, "name"), "the name of a service is its key, leave 'name' out", True
        service["name"] = name
        for key in TIMING:
            if key in defaults and key not in service:
                service[key] = defaults[key]


def _secrets(raw: dict[str, Any], environ: Mapping[str, str], folder: Path) -> Iterator[tuple[Keys, str]]:
    for name, service in _services(raw):
        runtime = service.get("runtime")
        process = runtime.get("process") if isinstance(runtime, dict) else None
        values: Any = process.get("env") if isinstance(process, dict) else None
        for key, form in values.items() if isinstance(values, dict) else ():
            if not isinstance(form, dict):
                continue
            try:
                values[key] = resolve(form, environ, folder)
            except SecretError as error:
                values[key] = Secret("nowhere", "")
                yield ("services", name, "runtime", "process", "env", key), str(error)


def _alert_secrets(raw: dict[str, Any], environ: Mapping[str, str], folder: Path) -> Iterator[tuple[Keys, str]]:
    alerts = raw.get("alerts")
    for section, key in (("telegram", "token"), ("fallback", "webhook")):
        holder = alerts.get(section) if isinstance(alerts, dict) else None
        form: Any = holder.get(key) if isinstance(holder, dict) else None
        if not isinstance(holder, dict) or not isinstance(form, dict):
            continue
        try:
            holder[key] = resolve(form, environ, folder)
        except SecretError as error:
            holder[key] = Secret("nowhere", "")
            yield ("alerts", section, key), str(error)


def _services(raw: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    services = raw.get("services")
    for name, service in services.items() if isinstance(services, dict) else ():
        if isinstance(service, dict):
            yield name, service
