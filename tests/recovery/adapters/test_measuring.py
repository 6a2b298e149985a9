"""What a bot uses, read from /proc."""

from __future__ import annotations

import os
import subprocess

import pytest

from recovery.adapters import procfs
from recovery.adapters.measuring import usage_of, vitals_of
from recovery.adapters.procfs import Stat


@pytest.fixture
def ours() -> Stat:
    stat = procfs.read_stat(os.getpid())
    assert stat is not None
    return stat


def test_what_is_gone_meanwhile_counts_nothing(ours: Stat) -> None:
    with subprocess.Popen(["true"]) as child:
        gone = procfs.read_stat(child.pid)
        assert gone is not None
    alone, both = usage_of([ours]), usage_of([ours, gone])
    assert alone.memory > 10_000_000
    assert abs(both.memory - alone.memory) < 1_000_000
    vitals = vitals_of(ours, [ours, gone])
    assert vitals.processes == 2
    assert vitals.memory is not None
    assert vitals.files is not None
    assert vitals.files >= 3


def test_cpu_is_in_seconds(ours: Stat) -> None:
    used = usage_of([ours]).cpu
    assert used == pytest.approx(sum(os.times()[:2]), abs=0.5)
