"""`check`, `schema`, `reload`: the configuration, before it counts and when it shall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from recovery.playbook_schema import schema as playbook_schema
from recovery.problem import Problem, render, render_all
from recovery.registry import discover
from watchdog.cli import screen
from watchdog.cli.asking import act
from watchdog.cli.books import books, faults
from watchdog.cli.failures import WRONG
from watchdog.cli.options import Asked, common
from watchdog.cli.place import chosen, salvage, zone_of
from watchdog.cli.views.text import plural
from watchdog.cli.views.times import length, record, seconds_of
from watchdog.config.jsonschema import config_schema
from watchdog.config.load import Loaded, SettingsError, load_all
from watchdog.config.schema import Settings
from watchdog.errors import Refused, Unreachable
from watchdog.graph.build import build
from watchdog.web.client import Client


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@common
def check(asked: Asked, file: Path | None) -> None:
    """Check the configuration, its conf.d and its playbooks: all errors at once, with the place of each."""
    path = chosen(Asked(file or asked.config, asked.json))
    try:
        loaded = load_all(path, also=faults)
    except SettingsError as error:
        _refuse(asked, path, error)
        return
    facts = _facts(loaded.settings)
    if asked.json:
        screen.document({"file": str(path), "errors": [], "warnings": _docs(loaded.warnings), "summary": facts})
        return
    screen.lines(_summary(path, loaded, facts))


@click.command()
@click.argument("which", type=click.Choice(["config", "playbook"]))
def schema(which: str) -> None:
    """JSON Schemas for editors: of watchdog.yaml, or of a playbook."""
    screen.document(config_schema() if which == "config" else playbook_schema(discover()))


@click.command()
@common
def reload(asked: Asked) -> None:
    """Let the daemon read its configuration anew; an invalid one changes nothing and says so."""
    act(asked, "reload")


def _refuse(asked: Asked, path: Path, error: SettingsError) -> None:
    if asked.json:
        screen.document({"file": str(path), "errors": _docs(error.found), "warnings": [], "summary": None})
    else:
        screen.lines([f"{render_all(error.found)}{_consequence(path)}"])
    click.get_current_context().exit(WRONG)


def _consequence(path: Path) -> str:
    """What the errors cost: a bad playbook only itself, a bad configuration is not taken at all."""
    try:
        load_all(path)
    except SettingsError:
        return _in_force(path)
    return " The configuration is good: only these playbooks are left out, the others are used."


def _in_force(path: Path) -> str:
    """What a running daemon makes of it: it goes on with what it has."""
    where = salvage(path, ())
    try:
        daemon = Client(where.socket).call("status")["daemon"]
    except (Unreachable, Refused):
        return ""
    loaded = seconds_of((daemon.get("config") or {}).get("loaded_at"))
    since = f" of {record(loaded, screen.frame(where.zone))}" if loaded else " it has"
    return f" The daemon goes on with the configuration{since}."


def _facts(settings: Settings) -> dict[str, int]:
    return {
        "services": len(settings.services),
        "playbooks": len(books(settings).books),
        "levels": max(build(settings.services).levels.values(), default=0),
    }


def _summary(path: Path, loaded: Loaded, facts: Mapping[str, int]) -> list[str]:
    settings = loaded.settings
    levels = plural(facts["levels"], "level") + " of dependencies" if facts["levels"] else "no dependencies"
    lines = [f"warning: {render(warning)}" for warning in loaded.warnings]
    found = f" and what asks for it at {settings.discovery.docker}" if settings.discovery is not None else ""
    lines.append(f"{path}: {plural(facts['services'], 'service')}{found}, {plural(facts['playbooks'], 'playbook')}, {levels}")
    frame = screen.frame(zone_of(settings.timezone))
    tiers = settings.alerts.tiers
    lines.append(
        f"mode {settings.mode.value}; times in {settings.timezone} (now {record(frame.now, frame)}); "
        f"state in {settings.state.dir}; soft after {length(tiers.silent_below)}, critical after {length(tiers.critical_after)}"
    )
    lines.append("No errors" + (f", {plural(len(loaded.warnings), 'warning')}." if loaded.warnings else "."))
    return lines


def _docs(problems: Sequence[Problem]) -> list[dict[str, Any]]:
    return [
        {
            "file": problem.file,
            "line": problem.mark.line if problem.mark else None,
            "column": problem.mark.column if problem.mark else None,
            "path": problem.path,
            "text": problem.text,
        }
        for problem in problems
    ]
