"""Free ports on loopback that stay ours while the bots that use them come and go."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping


class Ports:
    """Bound but never listening: nobody else is given such a port, and who connects is refused while its bot is down.

    A port is taken alone first and shared (SO_REUSEPORT) only then; so two demos at once never get the same one.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._kept = {name: _take() for name in names}

    @property
    def numbers(self) -> Mapping[str, int]:
        return {name: int(kept.getsockname()[1]) for name, kept in self._kept.items()}

    def close(self) -> None:
        for kept in self._kept.values():
            kept.close()


def _take() -> socket.socket:
    kept = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        kept.bind(("127.0.0.1", 0))
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    except OSError:
        kept.close()
        raise
    return kept
