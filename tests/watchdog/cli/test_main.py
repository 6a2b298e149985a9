from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.fakes import past
from tests.fakes.installation import Installation
from watchdog.cli.main import VERBS, cli
from watchdog.clock import Clock

HEAVY = ("pydantic", "httpx", "psutil", "sqlite3", "asyncio", "yaml", "structlog", "watchdog.app")

PROBE = f"""
import atexit, sys
import watchdog.cli.main as m
atexit.register(lambda: print([name for name in {HEAVY!r} if name in sys.modules]))
sys.argv[1:] = ["--help"]
m.main()
"""


def test_help_lists_every_verb_and_loads_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, timeout=30, check=True)
    for name, verb in VERBS.items():
        assert name in done.stdout
        assert verb.says in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_can_be_loaded_and_tells_what_it_does(verb: str) -> None:
    result = CliRunner().invoke(cli, [verb, "--help"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("Usage: ")


@pytest.mark.parametrize("asked", [["--help"], ["playbooks", "list"]])
def test_a_full_disk_behind_stdout_is_told_in_one_line(asked: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "watchdog", *asked], stdout=full, stderr=subprocess.PIPE, text=True, timeout=30, check=False
        )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "watchdogctl: the answer could not be written: No space left on device"
    assert "Traceback" not in done.stderr


def test_a_mistyped_verb_is_a_usage_error_with_a_suggestion() -> None:
    result = CliRunner().invoke(cli, ["statu"])
    assert result.exit_code == 2
    assert "did you mean 'status'?" in result.stderr


def test_acting_without_a_daemon_is_3_and_says_how_to_start_it(here: Installation) -> None:
    result = here.ctl("hold", "postgres", "--for", "20m")
    assert result.exit_code == 3
    assert "no daemon runs here" in result.stderr
    assert f"watchdogctl -c {here.config} run" in result.stderr


def test_the_chosen_configuration_is_named_on_stderr(here: Installation) -> None:
    assert f"configuration: {here.config}" in here.ctl("check").stderr
    assert "configuration:" not in here.ctl("check", "-o", "json").stdout


def test_a_configuration_that_does_not_exist_is_told_as_such(here: Installation) -> None:
    here.config.unlink()
    result = here.ctl("status")
    assert result.exit_code == 1
    assert "watchdog.yaml" in result.stderr


def test_the_option_c_is_understood_after_the_verb_too(here: Installation) -> None:
    result = CliRunner().invoke(cli, ["check", "-c", str(here.config)])
    assert result.exit_code == 0


@pytest.mark.parametrize("closed", [">&- 2>&-", "2>&-", "<&- >&-", ">/dev/null 2>/dev/full"])
def test_a_stream_that_is_closed_or_full_keeps_no_verb_from_working(here: Installation, closed: str) -> None:
    here.write(past.story(Clock().now()))
    command = f'"$0" -m watchdog -c "$1" history postgres {closed}'
    done = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable, str(here.config)], capture_output=True, timeout=30, check=False
    )
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
