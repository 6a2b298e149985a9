from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from watchdog.cli.around import run_held


def test_the_exit_code_is_the_commands_own() -> None:
    assert run_held(["true"]) == 0
    assert run_held([sys.executable, "-c", "raise SystemExit(9)"]) == 9


def test_a_signal_is_told_as_a_shell_tells_it() -> None:
    assert run_held([sys.executable, "-c", "import os; os.kill(os.getpid(), 15)"]) == 128 + 15


def test_what_cannot_be_run_is_126_or_127(tmp_path: Path) -> None:
    assert run_held(["no-such-command-here"]) == 127
    assert run_held([str(tmp_path)]) == 126


INNER = """
import pathlib, signal, sys, time
def end(*_):
    pathlib.Path({got!r}).touch()
    sys.exit(3)
signal.signal(signal.SIGTERM, end)
pathlib.Path({up!r}).touch()
time.sleep(20)
"""


@pytest.mark.live
def test_a_signal_to_us_goes_to_the_command_and_we_outlive_it(tmp_path: Path) -> None:
    inner = INNER.format(got=str(tmp_path / "got"), up=str(tmp_path / "up"))
    outer = f"import sys; from watchdog.cli.around import run_held; sys.exit(run_held([sys.executable, '-c', {inner!r}]))"
    with subprocess.Popen([sys.executable, "-c", outer]) as process:
        for _ in range(400):
            if (tmp_path / "up").exists():
                break
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 3
    assert (tmp_path / "got").exists()
