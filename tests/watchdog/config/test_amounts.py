"""CPU and memory in the configuration: with their unit in a file, as numbers in code."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from watchdog.config.load import load
from watchdog.config.service import Spinning, Swollen, Thresholds

HEAD = 'services: {bot: {probe: {tcp: "127.0.0.1:1"}, thresholds: '


def written(tmp_path: Path, text: str) -> Thresholds:
    path = tmp_path / "watchdog.yaml"
    path.write_text(f"{HEAD}{text}}}}}\n")
    return load(path, check_trust=False, environ={}).services["bot"].thresholds


def test_a_file_gives_them_with_their_unit(tmp_path: Path) -> None:
    found = written(tmp_path, "{cpu: {above: 150%, for: 2m}, memory: {above: 1.5GiB}}")
    assert found.cpu == Spinning(above=150.0, for_=120.0)
    assert found.memory == Swollen(above=1_610_612_736, for_=300.0)


def test_null_means_that_it_is_never_judged(tmp_path: Path) -> None:
    found = written(tmp_path, "{cpu: null, memory: null}")
    assert (found.cpu, found.memory) == (None, None)
    assert found.degraded == 3


@pytest.mark.parametrize("bad", [0, -1, True, "90", None])
def test_what_is_no_amount_is_refused_in_code_too(bad: object) -> None:
    with pytest.raises(ValidationError):
        Spinning(above=bad)  # type: ignore[arg-type]
    if bad is not True:
        with pytest.raises(ValidationError):
            Swollen(for_=bad)  # type: ignore[arg-type]
