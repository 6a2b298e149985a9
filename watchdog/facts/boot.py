"""The identity of this boot of the host: processes do not survive it (SPEC 5, bring-up)."""

from __future__ import annotations

from pathlib import Path


def boot_id() -> str:
    """The kernel's own, empty where it tells none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
