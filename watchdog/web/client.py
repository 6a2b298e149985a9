"""The other end of the control socket: one blocking call per verb, for programs in a terminal (SPEC 14)."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from watchdog.errors import Misused, Refused, Unreachable, WatchdogError
from watchdog.web.wire import MAX_LINE, SOCKET_PATH_MAX, Code, encode

CONNECT = 3.0
"""Seconds to be let in; a busy daemon accepts far sooner."""

QUICK = 5.0
"""Seconds for an answer that needs no waiting."""

LONG = 120.0
"""Seconds for acts that wait for a safe point: `hold` takes 90 s at most (SPEC 5, step 2)."""


class Broken(WatchdogError):
    """The daemon failed at the request; its log says more."""


_ERRORS: Mapping[str, type[WatchdogError]] = {Code.REFUSED: Refused, Code.USAGE: Misused, Code.INTERNAL: Broken}


class Client:
    """path: the socket. Each call is a connection of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def call(self, verb: str, args: Mapping[str, Any] | None = None, timeout: float = QUICK) -> Any:
        """The result. Raises Unreachable, Refused, Misused or Broken; `timeout` in seconds is for the answer."""
        line = encode({"verb": verb, "args": dict(args or {})})
        if len(line) > MAX_LINE:
            raise Misused(f"the request is longer than {MAX_LINE} bytes")
        with self._connect() as sock:
            answer = self._exchange(sock, line, timeout)
        if answer.get("ok") is True:
            return answer.get("result")
        raise _ERRORS.get(str(answer.get("code")), Broken)(str(answer.get("error") or "no reason given"))

    def _connect(self) -> socket.socket:
        if len(bytes(self.path)) > SOCKET_PATH_MAX:
            raise Unreachable(f"{self.path} is longer than a unix socket's path can be ({SOCKET_PATH_MAX} bytes)")
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.settimeout(CONNECT)
        try:
            sock.connect(str(self.path))
        except OSError as error:
            sock.close()
            raise Unreachable(self._why(error)) from error
        return sock

    def _why(self, error: OSError) -> str:
        if isinstance(error, FileNotFoundError):
            return f"no daemon runs here: {self.path} does not exist"
        if isinstance(error, ConnectionRefusedError):
            return f"no daemon runs here: nobody listens at {self.path}"
        if isinstance(error, PermissionError):
            return f"you may not talk to the daemon at {self.path}: use sudo, or join the group of the socket"
        return f"the daemon does not answer at {self.path}: {error.strerror or error}"

    def _exchange(self, sock: socket.socket, line: bytes, timeout: float) -> dict[str, Any]:
        sock.settimeout(timeout)
        try:
            sock.sendall(line)
            with sock.makefile("rb") as stream:
                answer = stream.readline()
        except TimeoutError as error:
            raise Unreachable(f"the daemon let me in but gave no answer within {timeout:g} s") from error
        except OSError as error:
            raise Unreachable(f"the connection to the daemon broke: {error.strerror or error}") from error
        if not answer.endswith(b"\n"):
            raise Unreachable("the daemon closed the connection without an answer; it may be stopping")
        try:
            doc = json.loads(answer)
        except ValueError as error:
            raise Unreachable(f"whoever listens at {self.path} does not speak our language") from error
        return doc if isinstance(doc, dict) else {}
