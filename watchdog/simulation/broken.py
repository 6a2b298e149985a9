"""The scenarios of playbooks that are refused: they cannot pass, and are named all the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from recovery.problem import Problem
from recovery.yaml import YamlError, load_file


@dataclass(frozen=True, slots=True)
class BrokenPlaybook:
    """A playbook that is not used. name: its own, or that of its file. tests: paths of its scenarios. why: its first problem."""

    name: str
    tests: tuple[Path, ...]
    why: str

    @property
    def reason(self) -> str:
        """Why each of its scenarios has failed."""
        return f"its playbook {self.name} is refused: {self.why}"


def broken_playbooks(problems: Iterable[Problem]) -> tuple[BrokenPlaybook, ...]:
    """One for each file with a problem, in their order; what cannot be read from it is left out."""
    first: dict[str, Problem] = {}
    for problem in problems:
        first.setdefault(problem.file, problem)
    return tuple(_broken(Path(file), problem) for file, problem in first.items())


def _broken(path: Path, problem: Problem) -> BrokenPlaybook:
    try:
        top = load_file(path).value if path.is_file() else {}
    except YamlError:
        top = {}
    name, tests = top.get("name"), top.get("tests")
    texts = [test for test in tests if isinstance(test, str)] if isinstance(tests, list) else []
    return BrokenPlaybook(name if isinstance(name, str) else path.stem, tuple(path.parent / test for test in texts), str(problem))
