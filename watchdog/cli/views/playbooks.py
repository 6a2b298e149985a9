"""Playbooks as a table, one of them in full, and their JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recovery.model import Condition, Playbook, When
from recovery.units import format_duration
from watchdog.cli.views.frame import Frame
from watchdog.cli.views.text import clean, cut, folded, pad, plural


def list_lines(books: Iterable[Playbook], frame: Frame) -> list[str]:
    """Name, effect, mode, when, and its own summary below."""
    told = list(books)
    name = max([4, *(len(book.name) for book in told)])
    lines = [frame.paint(f"{pad('NAME', name)}  {'EFFECT':<11}  {'MODE':<7}  WHEN", "dim")]
    for book in told:
        head = f"{frame.paint(pad(book.name, name), 'bold')}  {book.effect:<11}  {book.mode:<7}  "
        lines.append(head + cut(when_words(book.when), max(frame.width - name - 24, 10)))
        lines += [f"  {line}" for line in folded(clean(book.summary), frame.width - 2)]
    return lines


def show_lines(book: Playbook, frame: Frame) -> list[str]:
    """What it amounts to, and its text as it is written."""
    facts = {
        "When": when_words(book.when),
        "Effect": f"{book.effect}, {'routine' if book.routine else 'not routine: at least a soft message'}",
        "Mode": str(book.mode),
        "Limits": _limits(book),
        "Steps": ", ".join(step.action for step in book.steps),
        "Else": {"again": "decide anew", "escalate": "a person"}.get(book.otherwise, book.otherwise),
        "Tests": f"{plural(len(book.tests), 'scenario')} (watchdogctl playbooks test {book.name})",
        "File": f"{book.path} ({book.digest[:12]})",
    }
    lines = [f"{frame.paint(book.name, 'bold')} · {clean(book.summary)}"]
    lines += [cut(f"  {label:<8} {value}", frame.width) for label, value in facts.items()]
    return [*lines, "", *book.source.rstrip().splitlines()]


def when_words(when: When) -> str:
    """`symptom unresponsive or symptom flapping`."""
    if not when.conditions:
        return "only when named"
    return (" and " if when.every else " or ").join(_condition(one) for one in when.conditions)


def doc_of(book: Playbook) -> dict[str, Any]:
    """A playbook as JSON; durations seconds, None where the defaults of `guards` hold."""
    return {
        "name": book.name,
        "summary": book.summary,
        "when": when_words(book.when),
        "effect": book.effect.value,
        "mode": book.mode.value,
        "routine": book.routine,
        "cooldown_s": book.cooldown,
        "concurrent": book.concurrent,
        "steps": [{"id": step.id, "action": step.action, "effect": step.effect.value} for step in book.steps],
        "otherwise": book.otherwise,
        "tests": list(book.tests),
        "path": book.path,
        "digest": book.digest,
    }


def _condition(one: Condition) -> str:
    parts = [f"{key} {value}" for key, value in (("symptom", one.symptom), ("reason", one.reason), ("code", one.code)) if value]
    return " with ".join(parts)


def _limits(book: Playbook) -> str:
    parts = []
    if book.cooldown is not None:
        parts.append(f"cooldown {format_duration(book.cooldown)}")
    if book.concurrent is not None:
        parts.append(f"{book.concurrent} at a time")
    return ", ".join(parts) or "those of guards"
