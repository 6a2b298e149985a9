"""Every scenario file of this folder plays as it says, on the daemon's own core in virtual time."""

from __future__ import annotations

from pathlib import Path

import pytest

from watchdog.simulation.expectations import describe
from watchdog.simulation.run import simulate

FILES = sorted((Path(__file__).parent / "scenarios").glob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_scenario_plays_as_it_says(file: Path) -> None:
    report = simulate(file)
    assert report.passed, "\n".join([*report.failures, "", *map(describe, report.timeline)])
