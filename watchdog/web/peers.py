"""Who is at the other end of the socket, and whether they may act (SPEC 15, Doors)."""

from __future__ import annotations

import os
import pwd
import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

_CREDENTIALS = struct.Struct("3i")


class Peered(Protocol):
    """A connected unix socket, or asyncio's wrapper of one."""

    def getsockopt(self, level: int, name: int, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Peer:
    """The process that connected, as the kernel knows it."""

    pid: int
    uid: int
    gid: int


def peer_of(sock: Peered) -> Peer:
    """SO_PEERCRED: the credentials at the moment of connect. OSError when the socket is gone."""
    pid, uid, gid = _CREDENTIALS.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
    return Peer(pid=pid, uid=uid, gid=gid)


def name_of(uid: int) -> str:
    """The user's name, or `uid 1001` when nobody has that number."""
    try:
        return pwd.getpwuid(uid).pw_name
    except (KeyError, OSError):
        return f"uid {uid}"


def may_act(peer: Peer, name: str, admins: Iterable[str | int]) -> bool:
    """Root, the daemon's own user, and `control.admins`, each a user name or a number."""
    if peer.uid in (0, os.geteuid()):
        return True
    return any(_is(admin, peer.uid, name) for admin in admins)


def _is(admin: str | int, uid: int, name: str) -> bool:
    if isinstance(admin, int):
        return admin == uid
    return admin == name or (admin.isdecimal() and int(admin) == uid)
