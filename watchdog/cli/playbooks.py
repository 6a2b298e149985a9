"""`playbooks list|show|test`: what may be done to a bot, readable and testable without touching one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from recovery.load import Playbooks
from recovery.model import Playbook
from recovery.problem import did_you_mean, render_all
from watchdog.cli import screen
from watchdog.cli.books import books
from watchdog.cli.failures import USAGE, WRONG, Failure
from watchdog.cli.options import Asked, common
from watchdog.cli.place import chosen
from watchdog.cli.simulate import attempt
from watchdog.cli.views.playbooks import doc_of, list_lines, show_lines
from watchdog.cli.views.scenario import verdict_lines
from watchdog.config.load import load
from watchdog.config.schema import Settings
from watchdog.errors import ConfigurationError
from watchdog.simulation.broken import BrokenPlaybook, broken_playbooks
from watchdog.simulation.run import Report


@click.group()
def playbooks() -> None:
    """List, show and test playbooks: the configured and the built-in ones."""


@playbooks.command("list")
@common
def list_(asked: Asked) -> None:
    """All playbooks that may be used, and what is wrong with the others."""
    found = books(_settings(asked))
    if asked.json:
        screen.document([doc_of(book) for book in found.books.values()])
    else:
        screen.lines(list_lines(found.books.values(), screen.frame()))
    _complain(found)


@playbooks.command()
@click.argument("name")
@common
def show(asked: Asked, name: str) -> None:
    """One playbook as it is written, and what it amounts to."""
    found = books(_settings(asked))
    refused = next((each for each in broken_playbooks(found.found) if each.name == name), None)
    if refused is not None and name not in found.books:
        click.echo(f"{name} is refused, and not used:", err=True)
        _complain(found)
    book = _named(found.books, name)
    if asked.json:
        screen.document({**doc_of(book), "source": book.source})
    else:
        screen.lines(show_lines(book, screen.frame()))


@playbooks.command(short_help="Run scenarios of playbooks on a virtual clock.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@common
def test(asked: Asked, names: tuple[str, ...]) -> None:
    """Run the scenarios of all playbooks, or of those named, on a virtual clock.

    A playbook with errors is left out: its own scenarios have failed, those of the others run without it.
    """
    settings = _settings(asked)
    found = books(settings)
    broken = broken_playbooks(found.found)
    picked, out = _picked(found.books, broken, names)
    folders = settings.playbooks if settings else ()
    results = [(book.name, attempt(Path(book.path).parent / test, folders)) for book in picked for test in book.tests]
    results += [(each.name, Report(test.name, False, (each.reason,), ())) for each in out for test in each.tests]
    if asked.json:
        screen.document([{"playbook": name, **report.as_json()} for name, report in results])
    else:
        frame = screen.frame()
        lines = [line for name, report in results for line in verdict_lines(report, frame, f"{name}: ")]
        lines += [f"· {book.name}: has no scenario" for book in picked if not book.tests]
        passed = sum(1 for _, report in results if report.passed)
        screen.lines([*lines, f"{passed} of {len(results)} scenarios passed."])
    _complain(found)
    if not all(report.passed for _, report in results):
        click.get_current_context().exit(WRONG)


def _settings(asked: Asked) -> Settings | None:
    """None when there is no configuration at all: then the built-in playbooks are meant."""
    try:
        path = chosen(asked)
    except ConfigurationError:
        click.echo("no configuration: the built-in playbooks", err=True)
        return None
    return load(path)


def _picked(
    known: Mapping[str, Playbook], broken: Sequence[BrokenPlaybook], names: Sequence[str]
) -> tuple[list[Playbook], list[BrokenPlaybook]]:
    """Those named, good ones and refused ones; all of them when none is."""
    if not names:
        return list(known.values()), list(broken)
    out = [each for each in broken if each.name in names]
    good = [name for name in names if name in known or all(each.name != name for each in out)]
    return [_named(known, name) for name in good], out


def _named(known: Mapping[str, Playbook], name: str) -> Playbook:
    if name not in known:
        hint = did_you_mean(name, known) or "; see: watchdogctl playbooks list"
        raise Failure(f"there is no playbook '{name}'{hint}", USAGE)
    return known[name]


def _complain(found: Playbooks) -> None:
    """BrokenPlaybook files are told on stderr; the list of the good ones stays readable by machines."""
    if found.found:
        click.echo(render_all(found.found), err=True)
        click.get_current_context().exit(WRONG)
