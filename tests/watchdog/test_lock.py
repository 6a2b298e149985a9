"""F31: two daemons, a stale file, a descriptor that a child inherited."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from watchdog.errors import StartError
from watchdog.lock import InstanceLock


def holder(folder: Path, and_then: str) -> "subprocess.Popen[str]":
    """Another daemon that holds the lock; it says so, then does `and_then`."""
    code = textwrap.dedent(f"""
        import os, subprocess, sys
        from pathlib import Path
        from watchdog.lock import InstanceLock
        InstanceLock(Path({str(folder)!r}), os.getpid()).acquire()
        {and_then}
    """)
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )


def test_the_second_daemon_does_not_start_and_names_the_first(tmp_path: Path) -> None:
    first = holder(tmp_path, "print('held', flush=True); sys.stdin.read()")
    with first:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        with pytest.raises(StartError, match=rf"already runs on .* \(pid {first.pid}\); this one does nothing"):
            InstanceLock(tmp_path, os.getpid()).acquire()
        first.kill()
    with InstanceLock(tmp_path, os.getpid()):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


def test_a_child_that_lives_on_does_not_keep_the_lock(tmp_path: Path) -> None:
    child = "subprocess.Popen(['sleep', '30'], close_fds=False, stdout=subprocess.DEVNULL); print('held', flush=True)"
    first = holder(tmp_path, child)
    with first:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        first.wait(5)
        try:
            InstanceLock(tmp_path, 1).acquire()
        finally:
            os.killpg(first.pid, 9)


def test_a_file_that_was_left_behind_means_nothing(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("1\nstale, and longer than a pid\n")
    with InstanceLock(tmp_path, 4711):
        assert (tmp_path / "lock").read_text() == "4711\n"


def test_released_it_can_be_taken_again(tmp_path: Path) -> None:
    lock = InstanceLock(tmp_path, 1)
    lock.acquire()
    with pytest.raises(StartError):
        InstanceLock(tmp_path, 2).acquire()
    lock.release()
    lock.release()
    InstanceLock(tmp_path, 2).acquire()


def test_a_folder_that_is_missing_or_a_link_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="cannot be opened: No such file"):
        InstanceLock(tmp_path / "no", 1).acquire()
    (tmp_path / "lock").symlink_to("/etc/hostname")
    with pytest.raises(StartError, match="cannot be opened"):
        InstanceLock(tmp_path, 1).acquire()
