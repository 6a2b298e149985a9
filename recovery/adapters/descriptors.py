"""Room for sockets: each check that hangs holds one, and a daemon begins with 1,024 descriptors where more are allowed.

What we start begins with as many as we did: many programs close, or put into a `select`, whatever they are allowed to have.
"""

from __future__ import annotations

import resource
from contextlib import suppress

MOST = 65_536
"""Descriptors that we ask for."""

_BEGAN_WITH = resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def make_room() -> None:
    """For this process, as far as it is allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if hard == resource.RLIM_INFINITY else min(MOST, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def as_we_began() -> str:
    """For the shell that becomes a bot."""
    return f"ulimit -Sn {'unlimited' if _BEGAN_WITH == resource.RLIM_INFINITY else _BEGAN_WITH}"
