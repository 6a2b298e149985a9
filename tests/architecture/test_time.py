"""Time and chance come from one place, and the environment is read at the doors only: nothing else differs between two runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.fakes.product import PRODUCT, nodes

CLOCKS = {"watchdog/clock.py", "watchdog/demo/bot.py"}
"""Who may ask what time it is. The bot of the demo is a program of its own."""

ENVIRONMENT = {
    "watchdog/config/load.py": "values of ${VAR} and {env:}",
    "watchdog/daemon.py": "systemd's NOTIFY_SOCKET and the journal's JOURNAL_STREAM",
    "watchdog/cli/screen.py": "NO_COLOR and TERM",
    "watchdog/cli/place.py": "TZ",
    "watchdog/demo/keeper.py": "handed on to the daemon of the show",
    "watchdog/demo/curtain.py": "TZ",
    "watchdog/demo/paper.py": "NO_COLOR and TERM",
    "recovery/runtimes/process.py": "handed on to bots",
    "recovery/adapters/commands.py": "handed on to commands",
}
"""Where the environment of the process is read, and what for. None of it is a switch for tests."""

NAMES = {
    ("time", "time"),
    ("time", "monotonic"),
    ("time", "perf_counter"),
    ("time", "sleep"),
    ("time", "time_ns"),
    ("time", "monotonic_ns"),
    ("asyncio", "sleep"),
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("datetime", "today"),
    ("date", "today"),
    ("random", "random"),
    ("random", "choice"),
    ("random", "uniform"),
    ("random", "randint"),
}


def test_only_the_clock_asks_what_time_it_is() -> None:
    assert {str(path) for path in PRODUCT if any(pair in NAMES for pair in attributes(path))} == CLOCKS


def test_the_environment_is_read_where_it_is_said() -> None:
    found = {str(path) for path in PRODUCT if any(pair in {("os", "environ"), ("os", "getenv")} for pair in attributes(path))}
    assert found == set(ENVIRONMENT)


def test_no_product_file_knows_that_it_is_tested() -> None:
    for path in PRODUCT:
        text = path.read_text()
        for word in ("PYTEST", "pytest", "unittest", "failpoint", "FAILPOINT"):
            assert word not in text, path


def attributes(path: Path) -> Iterator[tuple[str, str]]:
    """`name.attribute` of every use, and `from name import attribute`."""
    for node in nodes(path):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
            yield node.value.id if isinstance(node.value, ast.Name) else node.value.attr, node.attr
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)
