"""`playbooks list|show|test`: what may be done to a bot, readable and testable without touching one."""

from __future__ import annotations

from collections.abc import Mapping
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
    book = _named(books(_settings(asked)).books, name)
    if asked.json:
        screen.document({**doc_of(book), "source": book.source})
    else:
        screen.lines(show_lines(book, screen.frame()))


@playbooks.command(short_help="Run scenarios of playbooks on a virtual clock.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@common
def test(asked: Asked, names: tuple[str, ...]) -> None:
    """Run the scenarios of all playbooks, or of those named, on a virtual clock."""
    settings = _settings(asked)
    found = books(settings)
    picked = [_named(found.books, name) for name in names] or list(found.books.values())
    folders = settings.playbooks if settings else ()
    results = [(book, attempt(Path(book.path).parent / scenario, folders)) for book in picked for scenario in book.tests]
    if asked.json:
        screen.document([{"playbook": book.name, **report.as_json()} for book, report in results])
    else:
        frame = screen.frame()
        lines = [line for book, report in results for line in verdict_lines(report, frame, f"{book.name}: ")]
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


def _named(known: Mapping[str, Playbook], name: str) -> Playbook:
    if name not in known:
        raise Failure(f"there is no playbook '{name}'{did_you_mean(name, known)}", USAGE)
    return known[name]


def _complain(found: Playbooks) -> None:
    """Refused files are told on stderr; the list of the good ones stays readable by machines."""
    if found.found:
        click.echo(render_all(found.found), err=True)
        click.get_current_context().exit(WRONG)
