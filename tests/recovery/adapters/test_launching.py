import subprocess
from pathlib import Path

import pytest

from recovery.adapters.children import Account
from recovery.adapters.launching import BECOME, environment_file, unit_command, uses_units, write_private


def test_a_unit_is_used_only_when_the_daemon_itself_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    booted = Path("/run/systemd/system").is_dir()
    assert uses_units({"INVOCATION_ID": "a", "NOTIFY_SOCKET": "/run/n"}, 77) is booted
    assert uses_units({"INVOCATION_ID": "a", "SYSTEMD_EXEC_PID": "77"}, 77) is booted
    assert not uses_units({"INVOCATION_ID": "a", "SYSTEMD_EXEC_PID": "76"}, 77)
    assert not uses_units({"INVOCATION_ID": "a"}, 77)
    assert not uses_units({}, 77)


def test_a_unit_of_its_own_collects_itself_and_writes_into_the_log_of_the_bot() -> None:
    argv = unit_command(
        "x",
        "bot-watchdog-x-1.service",
        ("/bin/sh", "-c", BECOME, "sh", "bot"),
        "/srv",
        Path("/s/e"),
        Account("bob", 7, 7),
        Path("/s/l"),
    )
    assert argv[: argv.index("--")] == (
        "systemd-run",
        "--quiet",
        "--collect",
        "--unit=bot-watchdog-x-1.service",
        "--description=x, started by bot-watchdog",
        "--service-type=exec",
        "--working-directory=/srv",
        "--uid=bob",
        "--property=EnvironmentFile=/s/e",
        "--property=StandardInput=null",
        "--property=StandardOutput=append:/s/l",
        "--property=StandardError=append:/s/l",
    )
    # systemd gives one dollar for two, and would replace a single one
    assert argv[argv.index("--") + 1 :] == ("/bin/sh", "-c", 'export BOT_WATCHDOG_PID=$$$$; exec "$$@"', "sh", "bot")


def test_values_with_quotes_dollars_and_lines_are_kept_in_the_environment_file() -> None:
    text = environment_file({"A": "plain", "B": 'say "hi" \\ $HOME `x`', "C": "two\nlines"})
    assert text == 'A="plain"\nB="say \\"hi\\" \\\\ \\$HOME \\`x\\`"\nC="two\nlines"\n'


def test_the_shell_gives_the_bot_its_own_pid_and_becomes_it() -> None:
    script = 'echo "$BOT_WATCHDOG_PID $$ $1"'
    done = subprocess.run(
        ["/bin/sh", "-c", BECOME, "sh", "sh", "-c", script, "x", "a  b"], capture_output=True, text=True, check=True
    )
    marked, own, argument = done.stdout.rstrip("\n").split(" ", 2)
    assert marked == own
    assert argument == "a  b"


def test_a_private_file_is_replaced_in_one_step_and_only_ours_to_read(tmp_path: Path) -> None:
    path = tmp_path / "run" / "x"
    write_private(path, "one")
    write_private(path, "two")
    assert path.read_text() == "two"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["x"]
