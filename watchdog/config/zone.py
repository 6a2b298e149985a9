"""The host's timezone, when the configuration names none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from zoneinfo import ZoneInfo


def host_zone(environ: Mapping[str, str], localtime: Path = Path("/etc/localtime")) -> str:
    """A name that ZoneInfo knows: from TZ, else from the link /etc/localtime, else UTC."""
    candidates = [environ.get("TZ", "").removeprefix(":")]
    try:
        candidates.append(str(localtime.readlink()).partition("zoneinfo/")[2])
    except OSError:
        pass  # no link: a container without a zone, or a copied file
    return next((name for name in candidates if name and _known(name)), "UTC")


def _known(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return False
    return True
