"""What came of a scenario: its verdict, and for one of them everything that happened."""

from __future__ import annotations

from watchdog.cli.views.frame import Frame
from watchdog.cli.views.symbols import DONE, FAILED, words
from watchdog.cli.views.text import clean, folded
from watchdog.simulation.expectations import Happening, clock
from watchdog.simulation.run import Report

TOLD = ("outcome", "reason", "detail", "text")
"""What is worth a place on the line, in this order; a message is told by its first line."""


def verdict_lines(report: Report, frame: Frame, of: str = "") -> list[str]:
    """One line, and one for each expectation that failed. of: the playbook whose scenario it is."""
    sign = frame.paint(DONE, "good") if report.passed else frame.paint(FAILED, "bad")
    lines = [f"{sign} {of}{clean(report.name)}"]
    for failure in report.failures:
        first, *rest = folded(clean(failure), frame.width - 4)
        lines += [f"    {first}", *(f"      {line}" for line in rest)]
    return lines


def report_lines(report: Report, frame: Frame) -> list[str]:
    """What happened, in the order in which it did, then the verdict."""
    return [*(_line(each, frame) for each in report.timeline if not each.data.get("closing")), "", *verdict_lines(report, frame)]


def _line(each: Happening, frame: Frame) -> str:
    who = each.service if each.name == each.service else f"{each.service}: {each.name}" if each.service else each.name
    more = ", ".join(_short(str(value)) for key in TOLD if (value := each.data.get(key)))
    stamp = f"{clock(each.at):>9}  {words(each.kind):<9} "
    text = f"{who} ({more})" if more else who
    first, *rest = folded(clean(text), max(frame.width - len(stamp), 30))
    return "\n".join([frame.paint(stamp, "dim") + first, *(" " * len(stamp) + line for line in rest)])


def _short(value: str) -> str:
    return words(value) if " " not in value and value.islower() else value.strip().split("\n", 1)[0]
