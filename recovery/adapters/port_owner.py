"""Who listens on a port of this host; for a person who has to free it."""

from __future__ import annotations

import re

import psutil

_ADDRESS = re.compile(r"(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]*\]|::):(\d{1,5})\b", re.IGNORECASE)

_TAKEN = ("port is already allocated", "address already in use")


def taken_port(words: str) -> int | None:
    """The port that Docker could not have, from its words; None when they speak of something else. 0: they do not name it."""
    if not any(sign in words.lower() for sign in _TAKEN):
        return None
    found = _ADDRESS.search(words)
    return int(found[1]) if found else 0


def port_owner(port: int) -> str:
    """`pid 812 (nginx)`; "" when nobody can be seen. Walks all of /proc: 10 ms and more, so it belongs into a thread."""
    try:
        found = {each.pid for each in psutil.net_connections("inet") if each.laddr and each.laddr.port == port and _listens(each)}
    except (psutil.Error, OSError):
        return ""
    return ", ".join(sorted(f"pid {pid}{_name(pid)}" for pid in found if pid is not None))


def _listens(connection: psutil._ntuples.sconn) -> bool:
    return connection.status in (psutil.CONN_LISTEN, psutil.CONN_NONE)  # the latter: UDP, which knows no listening


def _name(pid: int) -> str:
    try:
        return f" ({psutil.Process(pid).name()})"
    except psutil.Error:
        return ""
