"""The socket file itself: bound where nobody else answers, and never wider than its mode (SPEC 15, Doors)."""

from __future__ import annotations

import errno
import grp
import os
import socket
import stat
from pathlib import Path

from watchdog.errors import StartError
from watchdog.web.wire import SOCKET_PATH_MAX

GROUP = "bot-watchdog"
"""The group whose members may read; where it does not exist the daemon's own group does."""

_BACKLOG = 16


def listen(path: Path, group: str = GROUP) -> tuple[socket.socket, int]:
    """A listening, non-blocking socket at `path`, mode 0660, and the inode of its file.

    A stale file is replaced, but only a socket at which nobody answers. StartError with what to do otherwise.
    """
    check_length(path)
    gid = _gid(group)
    _make_folder(path.parent, gid)
    _clear(path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        sock.bind(os.fspath(path))
        # Nobody can connect between bind and listen, so the mode is never wider than meant.
        if gid is not None:
            os.chown(path, -1, gid)
        path.chmod(0o660)
        sock.listen(_BACKLOG)
        return sock, path.lstat().st_ino
    except OSError as error:
        sock.close()
        raise StartError(f"control.socket: cannot listen at {path}: {error.strerror}") from error


def check_length(path: Path) -> None:
    """StartError when the kernel could not hold this path (F38)."""
    size = len(os.fsencode(path))
    if size > SOCKET_PATH_MAX:
        raise StartError(
            f"control.socket: {path} is {size} bytes long and a unix socket takes {SOCKET_PATH_MAX}; "
            "write a shorter path, for example /run/bot-watchdog/control.sock"
        )


def remove(path: Path, inode: int) -> None:
    """Takes our own socket file away, and no other."""
    try:
        if path.lstat().st_ino == inode:
            path.unlink()
    except OSError:
        # Gone already, or its folder is: nothing is left to remove.
        return


def _gid(group: str) -> int | None:
    try:
        return grp.getgrnam(group).gr_gid
    except KeyError:
        return None


def _make_folder(folder: Path, gid: int | None) -> None:
    if folder.is_dir():
        return
    try:
        folder.mkdir(parents=True, mode=0o750)
        if gid is not None:
            os.chown(folder, -1, gid)
    except OSError as error:
        raise StartError(f"control.socket: cannot make the folder {folder}: {error.strerror}") from error


def _clear(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise StartError(f"control.socket: cannot look at {path}: {error.strerror}") from error
    if not stat.S_ISSOCK(mode):
        raise StartError(f"control.socket: {path} exists and is no socket; move it away or write another path")
    if _answers(path):
        raise StartError(f"control.socket: another daemon answers at {path}; end it first, or give this one its own socket")
    path.unlink(missing_ok=True)


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        code = probe.connect_ex(os.fspath(path))
    # EAGAIN: somebody listens and is too busy to accept.
    return code in (0, errno.EAGAIN, errno.EINPROGRESS)
