import os
from pathlib import Path

import pytest

from recovery.adapters.pidfile import read_claim, runs
from recovery.errors import StepFailed
from tests.fakes.descriptors import none_left


@pytest.mark.parametrize(("text", "pid"), [("4711\n", 4711), ("4711", 4711), ("4711 bot\nx\n", 4711), ("  12", 12)])
def test_the_first_number_counts(tmp_path: Path, text: str, pid: int) -> None:
    (tmp_path / "pid").write_text(text)
    claim = read_claim(tmp_path / "pid")
    assert claim is not None
    assert (claim.pid, claim.written_at) == (pid, (tmp_path / "pid").stat().st_mtime)


@pytest.mark.parametrize("text", ["", "\n", "bot", "0", "-1", "99999999999", "4711x", "\0\0\0"])
def test_anything_else_claims_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "pid").write_text(text)
    assert read_claim(tmp_path / "pid") is None


def test_no_file_a_folder_or_a_pipe_claims_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "no", tmp_path, tmp_path / "pipe"):
        assert read_claim(path) is None


def test_a_file_that_cannot_be_looked_into_for_now_is_not_taken_for_absent(tmp_path: Path) -> None:
    (tmp_path / "pid").write_text("4711\n")
    with none_left(), pytest.raises(StepFailed, match="Too many open files"):
        read_claim(tmp_path / "pid")


@pytest.mark.parametrize(
    ("command", "argv", "same"),
    [
        (("/usr/bin/python3", "bot.py"), ("python3", "bot.py"), True),
        (("/usr/bin/python3", "/srv/bot.py", "-v"), ("/srv/bot.py", "-v"), True),  # a script with an interpreter
        (("node", "bot.js", "--port", "80"), ("node", "bot.js"), True),  # it added arguments itself
        (("python3", "bot.py"), ("python3", "other.py"), False),
        (("python3",), ("python3", "bot.py"), False),
        ((), ("python3",), False),
        (("vim", "bot.py"), ("python3", "bot.py"), False),
    ],
)
def test_a_command_line_is_that_of_the_service_or_not(command: tuple[str, ...], argv: tuple[str, ...], same: bool) -> None:
    assert runs(command, argv) is same
