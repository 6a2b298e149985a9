"""Configuration and playbooks are code: who else could write them? (SPEC 6)"""

from __future__ import annotations

import os
import pwd
import stat
from pathlib import Path

MOST_LINKS = 40
"""Symbolic links followed for one path, as the kernel does."""


def untrusted(path: Path, user: int | None = None) -> str | None:
    """Why a file or folder must not be believed, None when it may.

    It, every folder above it, and every link on the way must belong to root or `user` (default: the daemon's own), and nobody
    else may write it: neither group nor others, except folders that are sticky. Links are checked and so are their targets.
    """
    trusted = {0, os.geteuid() if user is None else user}
    try:
        whole = path if path.is_absolute() else Path.cwd() / path
    except OSError as error:
        return f"the folder in which {path} is looked for cannot be told: {error.strerror}"
    pending = list(whole.parts[1:])  # not resolved: the links themselves are checked, and `..` goes up from their targets
    here, links = Path("/"), 0
    if reason := _fault(here, trusted):
        return reason
    while pending:
        part = pending.pop(0)
        if part == "..":
            here = here.parent
            continue
        step = here / part
        if reason := _fault(step, trusted):
            return reason
        if not step.is_symlink():
            here = step
            continue
        links += 1
        if links > MOST_LINKS:
            return f"{path} leads through too many links"
        target = step.readlink()
        if target.is_absolute():
            here = Path("/")
        pending = [*(target.parts[1:] if target.is_absolute() else target.parts), *pending]
    return None


def _fault(path: Path, trusted: set[int]) -> str | None:
    try:
        seen = path.lstat()
    except OSError as error:
        return f"{path} cannot be looked at: {error.strerror}"
    except ValueError as error:
        return f"{str(path)!r} is no path: {error}"
    if seen.st_uid not in trusted:
        return f"{path} belongs to {_name(seen.st_uid)}, not to root or the watchdog's user"
    if stat.S_ISLNK(seen.st_mode):
        return None
    if seen.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not (stat.S_ISDIR(seen.st_mode) and seen.st_mode & stat.S_ISVTX):
        who = "everybody" if seen.st_mode & stat.S_IWOTH else f"its group ({seen.st_gid})"
        return f"{path} can be written by {who}; mend it with: chmod go-w {path}"
    return None


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
