from __future__ import annotations

import socket
import stat
from pathlib import Path

import pytest

from watchdog.errors import StartError
from watchdog.web.listener import listen, remove


def test_the_socket_is_for_its_user_and_group_only(tmp_path: Path) -> None:
    path = tmp_path / "run" / "control.sock"
    sock, inode = listen(path)
    with sock:
        assert stat.S_IMODE(path.stat().st_mode) == 0o660
        assert stat.S_IMODE(path.parent.stat().st_mode) & 0o027 == 0
        assert path.stat().st_ino == inode


def test_a_stale_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "s"
    old = socket.socket(socket.AF_UNIX)
    old.bind(str(path))
    old.close()
    sock, _ = listen(path)
    with sock, socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))


def test_a_socket_at_which_somebody_answers_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s"
    first, inode = listen(path)
    with first:
        with pytest.raises(StartError, match="another daemon answers"):
            listen(path)
        assert path.stat().st_ino == inode


def test_a_file_that_is_no_socket_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_text("mine")
    with pytest.raises(StartError, match="is no socket"):
        listen(path)
    assert path.read_text() == "mine"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("mine")
    (tmp_path / "s").symlink_to(tmp_path / "target")
    with pytest.raises(StartError, match="is no socket"):
        listen(tmp_path / "s")


def test_a_path_that_is_too_long_says_so_with_a_shorter_one(tmp_path: Path) -> None:
    with pytest.raises(StartError, match=r"takes 107; write a shorter path, for example /run/bot-watchdog"):
        listen(tmp_path / ("x" * 120))


def test_a_folder_that_cannot_be_made_is_a_start_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StartError, match="cannot make the folder"):
        listen(tmp_path / "file" / "deep" / "s")


def test_only_our_own_file_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "s"
    sock, inode = listen(path)
    with sock:
        remove(path, inode + 1)
        assert path.exists()
        remove(path, inode)
        assert not path.exists()
        remove(path, inode)
