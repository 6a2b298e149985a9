"""From a scenario file to a Scenario, all mistakes at once with file and line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from recovery.problem import Problem, did_you_mean, quoted
from recovery.yaml import YamlError, load_file, load_text
from watchdog.errors import ConfigurationError
from watchdog.simulation.expect_file import expects
from watchdog.simulation.reading import Reading
from watchdog.simulation.scenario import Scenario
from watchdog.simulation.script import events

KEYS = ("name", "config", "start", "seed", "spread", "fleet", "world", "until", "expect")
START = datetime(2026, 3, 2, tzinfo=UTC)
"""When a scenario begins that does not say: a Monday, at midnight UTC."""

MOST = 100_000
"""Services of a fleet at most."""


def load(path: Path) -> Scenario:
    """Read one file. Raises ConfigurationError with one line per problem."""
    try:
        return _scenario(Reading(load_file(path)), path.parent)
    except YamlError as error:
        raise ConfigurationError(tuple(map(str, error.problems))) from error


def read(text: str, name: str, folder: Path = Path()) -> Scenario:
    """The same from text; `folder` is where a `config` path is looked for."""
    try:
        return _scenario(Reading(load_text(text, name)), folder)
    except YamlError as error:
        raise ConfigurationError(tuple(map(str, error.problems))) from error


def _scenario(reading: Reading, folder: Path) -> Scenario:
    value = reading.document.value
    top = reading.mapping(value, (), KEYS)
    for key in ("name", "until", "expect"):
        if key not in top:
            reading.wrong((), f"{quoted(key)} is missing")
    config, path = _config(reading, top, folder)
    start = _start(reading, top["start"]) if "start" in top else START
    scenario = Scenario(
        name=reading.text(top.get("name", "?"), ("name",)),
        document=reading.document,
        until=reading.seconds(top["until"], ("until",)) if "until" in top else 0.0,
        config=config,
        config_path=path,
        start=start.timestamp(),
        zone=_zone(start),
        seed=reading.whole(top["seed"], ("seed",)) if "seed" in top else 0,
        spread=reading.flag(top["spread"], ("spread",)) if "spread" in top else False,
        events=events(reading, top.get("world", []), ("world",)),
        expects=expects(reading, top.get("expect", []), ("expect",)),
    )
    if reading.problems:
        raise ConfigurationError(tuple(str(each) for each in sorted(reading.problems, key=_order)))
    return scenario


def _order(problem: Problem) -> tuple[str, int, int]:
    return problem.order


def _start(reading: Reading, value: object) -> datetime:
    text = reading.text(value, ("start",))
    try:
        moment: datetime | None = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        reading.wrong(("start",), f"{quoted(text)} is no moment with its offset, write for example '2026-03-02T03:40:00+08:00'")
        return START
    return moment


def _zone(start: datetime) -> str:
    """The IANA name of the offset; those with minutes have none, and stay UTC."""
    hours, rest = divmod(start.utcoffset() or timedelta(), timedelta(hours=1))
    return "UTC" if rest or not hours else f"Etc/GMT{-hours:+d}"


def _config(reading: Reading, top: dict[str, Any], folder: Path) -> tuple[dict[str, object] | None, Path | None]:
    value = top.get("config")
    fleet = _fleet(reading, top["fleet"]) if "fleet" in top else {}
    if isinstance(value, str):
        if fleet:
            reading.wrong(("fleet",), "a fleet needs its configuration written here, not in a file", key=True)
        return None, folder / value
    if value is None and not fleet:
        reading.wrong((), "'config' or 'fleet' is missing")
        return None, None
    if value is not None and not isinstance(value, dict):
        reading.wrong(("config",), f"must be a configuration or the path of one, not {quoted(value)}")
        return None, None
    # The dict of the document itself, not a copy: the place of each key hangs on it.
    config: dict[str, object] = value if isinstance(value, dict) else {}
    reading.document.value["config"] = config
    services = config.setdefault("services", {})
    if isinstance(services, dict):
        for name, service in fleet.items():
            services.setdefault(name, service)
    return config, None


def _fleet(reading: Reading, value: object) -> dict[str, object]:
    """`{count, name: "bot-{n}", like}`, or a list of them; `{n}` counts from 1."""
    found: dict[str, object] = {}
    single = not isinstance(value, list)
    for number, item in enumerate([value] if single else reading.items(value, ("fleet",))):
        path: tuple[str | int, ...] = ("fleet",) if single else ("fleet", number)
        group = reading.mapping(item, path, ("count", "name", "like"))
        count = reading.whole(group.get("count"), (*path, "count"), 1)
        name = reading.text(group.get("name", "bot-{n}"), (*path, "name"))
        if count > MOST or "{n}" not in name:
            reading.wrong(path, f"at most {MOST} services, and '{{n}}' in the name")
            continue
        found |= {name.replace("{n}", str(n)): _numbered(group.get("like", {}), n) for n in range(1, count + 1)}
    return found


def _numbered(value: Any, number: int) -> Any:
    if isinstance(value, str):
        return value.replace("{n}", str(number))
    if isinstance(value, dict):
        return {key: _numbered(item, number) for key, item in value.items()}
    return [_numbered(item, number) for item in value] if isinstance(value, list) else value


def unmatched(scenario: Scenario, services: set[str]) -> list[str]:
    """Names in `world` and `expect` that are no service: a rule that can never apply is a slip of the pen."""
    named = [(event.where, event.change.services) for event in scenario.events]
    named += [(event.where, event.of) for event in scenario.events if event.of]
    named += [(event.where, event.change.operator.service) for event in scenario.events if event.change.operator]
    named += [(each.where, each.service) for each in scenario.expects]
    named += [(each.where, each.name) for each in scenario.expects if each.kind == "incident"]
    known = {*services, "any", "host", "docker", "*"}
    return [
        f"{where}: unknown service {quoted(name)}{did_you_mean(name, services)}"
        for where, name in named
        if name not in known and not any(sign in name for sign in "*?[")
    ]
