"""What a process of its own has used so far."""

from __future__ import annotations

import resource
from pathlib import Path

TICK = 0.1
"""Seconds."""


def cpu() -> float:
    """Seconds, user and system."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def rss() -> int:
    """Bytes resident now."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()
