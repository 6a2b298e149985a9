"""What systemd is told about the daemon: readiness, life, status, reload and stop, by its notify protocol (SPEC 15).

Without NOTIFY_SOCKET nothing is sent and nothing is different. A message that systemd does not take is dropped: telling must
never stop what is told about.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping

STATUS_LENGTH = 200
"""Characters of a status line; more is of no use in `systemctl status`."""


class Notifier:
    """Speaks for one process.

    environ: of the process. pid: its own. monotonic: seconds of CLOCK_MONOTONIC, which systemd wants with a reload.
    """

    def __init__(self, environ: Mapping[str, str], pid: int, monotonic: Callable[[], float]) -> None:
        self._address = _address(environ.get("NOTIFY_SOCKET", ""))
        self._monotonic = monotonic
        self.period = _period(environ, pid)
        """Seconds within which systemd wants to hear WATCHDOG=1; None when it does not wait for it."""

    @property
    def speaks(self) -> bool:
        """Somebody listens."""
        return self._address is not None

    def ready(self, status: str = "") -> None:
        self._send("READY=1", *_status(status))

    def status(self, line: str) -> None:
        self._send(*_status(line))

    def watchdog(self) -> None:
        """The core loops beat."""
        self._send("WATCHDOG=1")

    def reloading(self) -> None:
        """The configuration is read anew; `ready` ends it. Both fields must be in one datagram."""
        self._send("RELOADING=1", f"MONOTONIC_USEC={int(self._monotonic() * 1_000_000)}")

    def stopping(self, status: str = "") -> None:
        self._send("STOPPING=1", *_status(status))

    def extend(self, seconds: float) -> None:
        """Start, reload or stop takes that much longer from now."""
        self._send(f"EXTEND_TIMEOUT_USEC={int(seconds * 1_000_000)}")

    def _send(self, *fields: str) -> None:
        if self._address is None or not fields:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
                channel.setblocking(False)
                channel.sendto("\n".join(fields).encode("utf-8", "replace"), self._address)
        except OSError:
            return


def _address(name: str) -> str | None:
    """A path, or an abstract name, which is written with `@` for its leading NUL."""
    if name.startswith("@") and len(name) > 1:
        return "\0" + name[1:]
    return name if name.startswith("/") else None


def _period(environ: Mapping[str, str], pid: int) -> float | None:
    usec, owner = environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID", "")
    if not usec.isdecimal() or int(usec) == 0 or (owner and owner != str(pid)):
        return None
    return int(usec) / 1_000_000


def _status(line: str) -> tuple[str, ...]:
    """One line: a newline in it would be read as another field."""
    flat = "".join(c if c.isprintable() else " " for c in line)
    return (f"STATUS={flat[:STATUS_LENGTH]}",) if flat.strip() else ()
