"""Ports for bots that a test starts."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Iterator
from contextlib import suppress


def free_port() -> int:
    """Below the range from which the system takes ports of its own accord, so that nobody sits on it while the bot is down.

    No port is given twice, and each worker of the test run has a range of its own.
    """
    for port in _PORTS:
        with socket.socket() as one, suppress(OSError):
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no free port")


def _ports() -> Iterator[int]:
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 4
    begin, size = 15000 + 4000 * worker, 4000
    offset = random.randrange(size)
    return iter([begin + (offset + number) % size for number in range(size)])


_PORTS = _ports()
