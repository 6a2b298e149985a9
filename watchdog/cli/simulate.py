"""`simulate`: scenarios on a virtual clock, with the real core and fake hands."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from recovery.problem import render_all
from watchdog import logs
from watchdog.cli import screen
from watchdog.cli.failures import WRONG
from watchdog.cli.options import Asked, common
from watchdog.cli.views.frame import Frame
from watchdog.cli.views.scenario import report_lines, verdict_lines
from watchdog.errors import ConfigurationError
from watchdog.simulation.run import Report
from watchdog.simulation.run import simulate as play


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("--playbooks", multiple=True, metavar="DIR", type=click.Path(path_type=Path), help="More playbooks.")
@common
def simulate(asked: Asked, files: tuple[Path, ...], playbooks: tuple[Path, ...]) -> None:
    """Run scenarios and say whether what they expect came true; exit 1 when it did not.

    One FILE is told with all that happened; of several only the verdicts. A playbook with errors is left out, told at the end,
    and makes it 1 too.
    """
    with logs.silent():
        reports = [attempt(file, playbooks) for file in files]
    frame = screen.frame()
    if asked.json:
        docs = [report.as_json() for report in reports]
        screen.document(docs[0] if len(docs) == 1 else docs)
    elif len(reports) == 1:
        screen.lines(report_lines(reports[0], frame))
    else:
        screen.lines(several(reports, frame))
    refused = tuple(dict.fromkeys(problem for report in reports for problem in report.refused))
    if refused:
        click.echo(render_all(refused), err=True)
    if refused or not all(report.passed for report in reports):
        click.get_current_context().exit(WRONG)


def attempt(file: Path, playbooks: Iterable[Path] = ()) -> Report:
    """A scenario that cannot be read has not passed, and says why."""
    try:
        return play(file, playbooks)
    except ConfigurationError as error:
        return Report(str(file), False, error.problems, ())


def several(reports: Iterable[Report], frame: Frame) -> list[str]:
    """A verdict each, and the sum."""
    told = list(reports)
    passed = sum(1 for report in told if report.passed)
    return [*(line for report in told for line in verdict_lines(report, frame)), f"{passed} of {len(told)} passed."]
