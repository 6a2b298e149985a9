"""A problem in a file of ours, as people see it: place, what is wrong, what to write instead, and the line itself with carets."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

Path = tuple[str | int, ...]
"""Keys and list indexes from the top of a document."""

_WIDEST = 120
_MANY = 200
_SHORT, _LIKE_SHORT, _LIKE = 4, 0.6, 0.7
"""How alike a word must be to be what was meant; in one of four letters two changed places weigh more."""


class Mark(NamedTuple):
    """A place in a file: line and column count from 1; width: characters on that line, at least 1."""

    line: int
    column: int
    width: int = 1


@dataclass(frozen=True, slots=True)
class Problem:
    """mark: None when it concerns the file as a whole. path: dotted keys, "" for none. source: the text of its line."""

    file: str
    mark: Mark | None
    path: str
    text: str
    source: str = ""

    def __str__(self) -> str:
        """`watchdog.yaml:14:7: services.x.depends_on: unknown service 'postgre', did you mean 'postgres'?` (SPEC 3)."""
        place = f"{self.file}:{self.mark.line}:{self.mark.column}" if self.mark else self.file
        return f"{place}: {self.path}: {self.text}" if self.path else f"{place}: {self.text}"

    @property
    def order(self) -> tuple[str, int, int]:
        """Sorts by file, line and column."""
        return (self.file, self.mark.line if self.mark else 0, self.mark.column if self.mark else 0)


def dotted(path: Path) -> str:
    """`services.ezee-scraper.depends_on`: indexes inside as `steps[2].params`, those at the end left out."""
    end = len(path)
    while end and isinstance(path[end - 1], int):
        end -= 1
    text = ""
    for part in path[:end]:
        text += f"[{part}]" if isinstance(part, int) else f".{part[:64]}" if text else part[:64]
    text = text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
    return "".join(c if c.isprintable() else "?" for c in text)


def render(problem: Problem) -> str:
    """The problem, its source line and carets below it, as in VOICE.md; long lines are cut around the place."""
    if problem.mark is None or not problem.source.strip():
        return str(problem)
    line, column, width = problem.mark
    first = max(0, column - 1 - _WIDEST // 2) if len(problem.source) > _WIDEST else 0
    shown = "".join(c if c.isprintable() else " " for c in problem.source[first : first + _WIDEST])
    start = min(column - 1 - first, len(shown))
    carets = "^" * max(1, min(width, len(shown) - start))
    number = str(line)
    return f"{problem}\n    {number} | {shown}\n    {' ' * len(number)} | {' ' * start}{carets}"


def render_all(problems: Sequence[Problem]) -> str:
    """All problems with their source lines, and their number."""
    return "\n".join([*map(render, problems), f"{errors(len(problems))}."])


def errors(count: int) -> str:
    """`1 error`, `3 errors`."""
    return f"{count} error{'s' if count != 1 else ''}"


def did_you_mean(word: str, known: Collection[str]) -> str:
    """`, did you mean 'postgres'?` for the known word nearest to `word`, else an empty text."""
    near = [name for name in known if abs(len(name) - len(word)) <= max(2, len(word) // 3)]
    if len(near) > _MANY:  # a large fleet: comparing each name takes 40 us
        letters = set(word)
        near = sorted(near, key=lambda name: len(letters.symmetric_difference(name)))[:_MANY]
    found = get_close_matches(word[:64], near, n=1, cutoff=_LIKE if len(word) > _SHORT else _LIKE_SHORT)
    return f", did you mean '{found[0]}'?" if found else ""


def quoted(value: object) -> str:
    """A value inside an error: in quotes, on one line, cut when long."""
    text = "".join(c if c.isprintable() else "?" for c in str(value)[:60])
    return f"'{text}…'" if len(str(value)) > 60 else f"'{text}'"
